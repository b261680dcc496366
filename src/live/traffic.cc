// SPDX-License-Identifier: BSD-3-Clause
// traffic.cc - cells of processes put together into a matrix

#include "live/traffic.hpp"

#include <algorithm>
#include <optional>

#include "base/message.hpp"
#include "cairn/board.hpp"
#include "formats/json_writer.hpp"
#include "live/comm_board.hpp"

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

/// visit(flow) for each pair of ranks that the cell is about.
template <class Visit>
void for_each_flow(const CommBoard& board, const comm::CellFigures& cell, int own, Visit visit) {
  if (const std::optional<Flow> flow = flow_of(cell, own)) return visit(*flow);
  const std::optional<comm::Reach> reach = reach_of(cell.kind);
  const auto found = board.communicators.find(static_cast<std::uint64_t>(cell.number));
  if (!reach || found == board.communicators.end()) return;
  comm::Share share;
  share.reach = *reach;
  share.rank = own;
  for (const int other : comm::partners(found->second, share)) {
    const bool is_from = *reach == comm::Reach::from_all;
    visit(Flow{collective, is_from ? other : own, is_from ? own : other});
  }
}

}  // namespace

Traffic::Sums Traffic::read(const where::Process& process, bool& is_there) {
  const CommBoard board = read_comm_board(process);
  is_there = board.is_there;
  lost_ += board.lost;
  Sums sums;
  for (const comm::CellFigures& cell : board.cells)
    for_each_flow(board, cell, process.rank, [&](const Flow& flow) {
      if (flow.from < 0 || flow.from >= size_ || flow.to < 0 || flow.to >= size_) return;
      sums[{flow.row, flow.from / block_, flow.to / block_}].add({cell.messages, cell.bytes});
    });
  return sums;
}

void Traffic::lay_out(int size) {
  if (size == size_) return;
  size_ = size;
  block_ = std::max(1, (size + most_units - 1) / most_units);
  by_rank_.clear();
  cells_.clear();
}

void Traffic::look(const where::JobPages& job, int size, std::vector<std::string>& problems) {
  lay_out(size);
  ++looks_;
  lost_ = 0;
  for (const where::Process& process : job.processes) try {
      bool is_there = false;
      Sums sums = read(process, is_there);
      if (is_there) by_rank_[process.rank] = std::move(sums);
    } catch (const Problem& problem) {
      problems.emplace_back(problem.what());
    }
  published_ = by_rank_.size();
  Sums all;
  for (const auto& [rank, sums] : by_rank_)
    for (const auto& [place, volume] : sums) all[place].add(volume);
  for (const auto& [place, volume] : all) {
    Cell& cell = cells_[place];
    if (cell.changed != 0 && cell.volume.messages == volume.messages && cell.volume.bytes == volume.bytes) continue;
    cell = {volume, looks_};
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
        for (const auto& [place, cell] : cells_)
          if (cell.changed > after) json.row(place[0], place[1], place[2], cell.volume.messages, cell.volume.bytes);
      });
    });
  });
  std::string text = json.take();
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

}  // namespace cairn::live
