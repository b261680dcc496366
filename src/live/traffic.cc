// SPDX-License-Identifier: BSD-3-Clause
// traffic.cc - cells of processes put together into a matrix

#include "live/traffic.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/message.hpp"
#include "cairn/board.hpp"
#include "formats/json_writer.hpp"
#include "live/comm_board.hpp"
#include "live/members.hpp"

namespace cairn::live {

namespace comm = formats::comm;

namespace {

enum Row { p2p, one_sided, collective };

/// Of parts that are the same for all partners in a communicator.
std::optional<comm::Reach> reach_of(comm::Kind kind) {
  if (kind < comm::Kind::to_all || kind > comm::Kind::from_all) return std::nullopt;
  return static_cast<comm::Reach>(static_cast<int>(kind) - static_cast<int>(comm::Kind::to_all));
}

struct Flow {
  Row row;
  int from;
  int to;
};

/// Of a cell of one partner.
std::optional<Flow> flow_of(const comm::CellFigures& cell, int own) {
  switch (cell.kind) {
    case comm::Kind::p2p:
      return Flow{p2p, own, cell.number};
    case comm::Kind::put:
      return Flow{one_sided, own, cell.number};
    case comm::Kind::fetched:
      return Flow{one_sided, cell.number, own};
    case comm::Kind::coll:
      return Flow{collective, own, cell.number};
    case comm::Kind::from:
      return Flow{collective, cell.number, own};
    default:
      return std::nullopt;
  }
}

/// `count` times as much.
comm::Volume times(const comm::Volume& volume, std::uint64_t count) {
  comm::Volume all{volume.messages * count, 0};
  if (__builtin_mul_overflow(volume.bytes, count, &all.bytes)) all.bytes = UINT64_MAX;
  return all;
}

}  // namespace

/// The boards of one look. What a rank has sent to all others of a communicator goes to each unit at once: nothing here
/// takes time or memory for each pair of ranks.
class Traffic::Reader {
 public:
  Reader(int size, int block, int units)
      : size_(size), block_(block), units_(units), sums_(kinds.size() * static_cast<std::size_t>(units * units)) {}

  /// What a rank has published. Throws Problem.
  Sums read(const CommBoard& board, int rank) {
    for (const comm::CellFigures& cell : board.cells)
      if (const std::optional<Flow> flow = flow_of(cell, rank)) add(*flow, cell);
      else if (const std::optional<comm::Reach> reach = reach_of(cell.kind)) add(board, cell, *reach, rank);
    return take();
  }

 private:
  void add(const Flow& flow, const comm::CellFigures& cell) {
    if (flow.from >= 0 && flow.from < size_ && flow.to >= 0 && flow.to < size_)
      add(flow.row, flow.from / block_, flow.to / block_, {cell.messages, cell.bytes});
  }

  /// The same to, or from, many ranks.
  void add(const CommBoard& board, const comm::CellFigures& cell, comm::Reach reach, int rank) {
    const auto found = board.communicators.find(static_cast<std::uint64_t>(cell.number));
    if (found == board.communicators.end() || rank < 0 || rank >= size_) return;
    const int own = rank / block_;
    const auto visit = [&](int unit, std::uint64_t count) {
      const bool is_from = reach == comm::Reach::from_all;
      add(collective, is_from ? unit : own, is_from ? own : unit, times({cell.messages, cell.bytes}, count));
    };
    const Members& members = members_of(found->second.processes);
    if (!found->second.remote.empty())
      return (members.has(rank) ? members_of(found->second.remote) : members).each_unit(visit);
    if (!members.has(rank)) return;
    if (reach == comm::Reach::to_later) members.each_unit_after(rank, visit);
    else members.each_unit_but(rank, visit);
  }

  void add(Row kind, int row, int column, const comm::Volume& volume) {
    const auto place = static_cast<std::uint32_t>((kind * units_ + row) * units_ + column);
    if (sums_[place].messages == 0 && sums_[place].bytes == 0) touched_.push_back(place);
    sums_[place].add(volume);
  }

  Sums take() {
    Sums sums;
    for (const std::uint32_t place : touched_)
      if (const comm::Volume volume = std::exchange(sums_[place], {}); volume.messages != 0 || volume.bytes != 0)
        sums.emplace_back(place, volume);
    touched_.clear();
    return sums;
  }

  const Members& members_of(const std::string& ranks) {
    auto found = members_.find(ranks);
    if (found == members_.end()) found = members_.emplace(ranks, Members(ranks, size_, block_)).first;
    return found->second;
  }

  int size_, block_, units_;
  std::unordered_map<std::string, Members> members_;  // of communicators
  std::vector<comm::Volume> sums_;                    // of the rank that is read, by place
  std::vector<std::uint32_t> touched_;                // places that are not 0
};

void Traffic::lay_out(int size) {
  if (size == size_) return;
  size_ = size;
  block_ = std::max(1, (size - 1) / most_units + 1);
  units_ = size > 0 ? (size - 1) / block_ + 1 : 0;
  by_rank_.clear();
  cells_.assign(kinds.size() * area(), {});
}

void Traffic::look(const where::JobPages& job, int size, std::vector<std::string>& problems) {
  lay_out(size);
  ++looks_;
  lost_ = 0;
  Reader reader(size_, block_, units_);
  for (const where::Process& process : job.processes) try {
      const CommBoard board = read_comm_board(process);
      lost_ += board.lost;
      if (board.is_there) by_rank_[process.rank] = reader.read(board, process.rank);
    } catch (const Problem& problem) {
      problems.emplace_back(problem.what());
    }
  published_ = by_rank_.size();
  take_sums();
}

/// Over all ranks.
void Traffic::take_sums() {
  std::vector<std::optional<comm::Volume>> all(cells_.size());
  for (const auto& [rank, sums] : by_rank_)
    for (const auto& [place, volume] : sums) {
      if (!all[place]) all[place].emplace();
      all[place]->add(volume);
    }
  for (std::size_t place = 0; place < all.size(); ++place) {
    Cell& cell = cells_[place];
    if (!all[place] ||
        (cell.changed != 0 && cell.volume.messages == all[place]->messages && cell.volume.bytes == all[place]->bytes))
      continue;
    cell = {*all[place], looks_};
  }
}

std::string Traffic::json(std::uint64_t after) const {
  formats::JsonWriter json(0);
  json.on_one_line([&] {
    json.object([&] {
      json("ranks", size_);
      json("block", block_);
      json("published", published_);
      json("lost", lost_);
      json("look", looks_);
      json.values("kinds", kinds);
      json.name("cells");
      json.array([&] {
        for (std::size_t place = 0; place < cells_.size(); ++place)
          if (const Cell& cell = cells_[place]; cell.changed > after)
            json.row(place / area(), row_of(place), column_of(place), cell.volume.messages, cell.volume.bytes);
      });
    });
  });
  std::string text = json.take();
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

}  // namespace cairn::live
