// SPDX-License-Identifier: BSD-3-Clause
// matrices.cc - the matrices of a summary, row by row

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "collectives/modelled_flows.hpp"
#include "formats/matrix_market.hpp"
#include "formats/text.hpp"
#include "matrix_row.hpp"
#include "output.hpp"

namespace comm {

namespace formats = cairn::formats;

namespace {

/// Shares as the flows that they stand for, row by row: kept as they are, since everybody to everybody is many pairs.
class SharedFlows {
 public:
  explicit SharedFlows(const Summary& summary) : summary_(summary) {
    for (const Phase& phase : summary.phases)
      for (const Share& share : phase.shares) {
        Volume& sum = sums_[{share.rank, share.communicator, share.reach}];
        if (sum.messages == 0) pairs_ += members_of(share.communicator).size();
        sum.add(share);
      }
    if (!fit()) return;
    for (const auto& [key, sum] : sums_)
      if (key.reach == Reach::from_all) add_received(key, sum);
  }

  bool fit() const { return pairs_ <= most_pairs; }

  /// What `from` sends.
  void add_row(int from, Row& row) {
    if (!fit()) return;
    for (auto one = sums_.lower_bound({from, 0, Reach::to_all}); one != sums_.end() && one->first.rank == from; ++one)
      if (one->first.reach != Reach::from_all) add_sent(one->first, one->second, row);
    for (auto [one, end] = received_.equal_range(from); one != end; ++one)
      row.add(one->second.first, one->second.second);
  }

 private:
  struct Sum {
    int rank;
    std::uint32_t communicator;
    Reach reach;
    friend auto operator<=>(const Sum&, const Sum&) = default;
  };

  const std::vector<int>& members_of(std::uint32_t communicator) {
    auto& known = members_[communicator];
    if (known.empty()) known = ranks_of(summary_.communicators[communicator].processes);
    return known;
  }

  void add_sent(const Sum& key, const Volume& volume, Row& row) {
    if (!summary_.communicators[key.communicator].remote.empty()) {
      for (const int to : partners(summary_.communicators[key.communicator], as_share(key))) row.add(to, volume);
      return;
    }
    bool later = key.reach == Reach::to_all;
    for (const int to : members_of(key.communicator)) {
      if (to == key.rank) later = true;
      else if (later) row.add(to, volume);
    }
  }
  void add_received(const Sum& key, const Volume& volume) {
    for (const int from : partners(summary_.communicators[key.communicator], as_share(key)))
      if (from >= 0) received_.emplace(from, std::pair(key.rank, volume));
  }
  static Share as_share(const Sum& key) {
    Share share;
    share.rank = key.rank;
    share.reach = key.reach;
    return share;
  }

  const Summary& summary_;
  std::map<Sum, Volume> sums_;
  std::map<std::uint32_t, std::vector<int>> members_;
  std::multimap<int, std::pair<int, Volume>> received_;
  std::uint64_t pairs_ = 0;
};

struct Matrix {
  const char* name;
  std::vector<FlowKind> kinds;
  std::function<void(int from, Row& row)> more;  // null: the flows of these kinds are all
  std::string comment;                           // "% ...", whole lines
};

/// Goes over the rows of a matrix; `visit(from, to, volume)` is called in order.
template <class Visit>
void for_each_pair(const Summary& summary, const Matrix& matrix, Visit visit) {
  std::vector<std::vector<Flow>> flows;
  for (const FlowKind kind : matrix.kinds) flows.push_back(over_phases(summary, kind));
  std::vector<std::size_t> next(flows.size(), 0);
  for (std::size_t i = 0; i < flows.size(); ++i)
    while (next[i] < flows[i].size() && flows[i][next[i]].from < 0) ++next[i];
  Row row(summary.ranks);
  for (int from = 0; from < summary.ranks; ++from) {
    for (std::size_t i = 0; i < flows.size(); ++i)
      for (; next[i] < flows[i].size() && flows[i][next[i]].from == from; ++next[i])
        row.add(flows[i][next[i]].to, flows[i][next[i]]);
    if (matrix.more) matrix.more(from, row);
    row.take([&](int to, const Volume& volume) { visit(from, to, volume); });
  }
}

void write_matrix(const Summary& summary, const Matrix& matrix, const WritePiece& write) {
  std::uint64_t count = 0;
  for_each_pair(summary, matrix, [&](int, int, const Volume&) { ++count; });
  for (const bool bytes : {true, false}) {
    const char* const unit = bytes ? "bytes" : "messages";
    const std::string file = formats::cat({matrix.name, ".", unit, ".mtx"});
    std::string text = formats::matrix_head(formats::cat({unit, " sent, ", matrix.name}), summary.run);
    formats::add(text, {matrix.comment, summary.ranks, " ", summary.ranks, " ", count, "\n"});
    for_each_pair(summary, matrix, [&](int from, int to, const Volume& volume) {
      formats::add(text, {from + 1, " ", to + 1, " ", bytes ? volume.bytes : volume.messages, "\n"});
      if (text.size() < (1U << 20U)) return;
      write(file, text);
      text.clear();
    });
    write(file, text);
  }
}

bool is_modelled(const Summary& summary) {
  return std::ranges::any_of(summary.phases, [](const Phase& phase) {
    return !phase.operations.empty() || !phase.flows[coll_direct].empty();
  });
}

}  // namespace

void write_matrices(const Summary& summary, const WritePiece& write) {
  SharedFlows shared_flows(summary);
  const auto shares = [&](int from, Row& row) { shared_flows.add_row(from, row); };
  const std::string left_out = "% without the collective calls in which all partners get alike: see comm.json\n";
  const std::string comment = shared_flows.fit() ? "" : left_out;
  write_matrix(summary, {"p2p", {p2p}, {}, ""}, write);
  write_matrix(summary, {"osc", {put, fetched}, {}, ""}, write);
  write_matrix(summary, {"coll", {coll}, shares, comment}, write);
  write_matrix(summary, {"total", {p2p, put, fetched, coll}, shares, comment}, write);
  if (!is_modelled(summary)) return;
  const cairn::collectives::ModelledFlows modelled(summary);
  write_matrix(summary,
               {"coll_modelled",
                {coll_direct},
                [&](int from, Row& row) {
                  modelled.for_each_of(from, [&](int to, const Volume& volume) { row.add(to, volume); });
                },
                "% a model of the library's algorithms, not measured; in no other file's sums\n" +
                    (modelled.fit() ? "" : left_out)},
               write);
}

}  // namespace comm
