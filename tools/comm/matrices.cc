// SPDX-License-Identifier: BSD-3-Clause
// matrices.cc - the matrices of a summary, row by row

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#define FMT_HEADER_ONLY
#define FMT_STATIC_THOUSANDS_SEPARATOR ','  // spares the tool the C++ library's locales, half its size
#include <fmt/format.h>

#include "output.hpp"

namespace comm {

namespace {

using Out = std::back_insert_iterator<std::string>;

/// One sender's row of a matrix, with a place for every receiver.
class Row {
 public:
  explicit Row(int ranks) : volumes_(static_cast<std::size_t>(ranks)) {}

  void add(int to, const Volume& volume) {
    if (to < 0) return;
    Volume& place = volumes_[static_cast<std::size_t>(to)];
    if (place.messages == 0) used_.push_back(to);
    place.add(volume);
  }
  /// In ascending order; empties the row.
  template <class Visit>
  void take(Visit visit) {
    std::ranges::sort(used_);
    for (const int to : used_) visit(to, std::exchange(volumes_[static_cast<std::size_t>(to)], Volume{}));
    used_.clear();
  }

 private:
  std::vector<Volume> volumes_;
  std::vector<int> used_;
};

/// Shares as the flows that they stand for, row by row: kept as they are, since everybody to everybody is many pairs.
class SharedFlows {
 public:
  /// More pairs than this are not written one by one.
  static constexpr std::uint64_t most_pairs = 1U << 24U;

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
    if (known.empty()) known = ranks_of(summary_.communicators[communicator].members);
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
  bool with_shares;
};

/// Goes over the rows of a matrix; `visit(from, to, volume)` is called in order.
template <class Visit>
void for_each_pair(const Summary& summary, const Matrix& matrix, SharedFlows& shared_flows, Visit visit) {
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
    if (matrix.with_shares) shared_flows.add_row(from, row);
    row.take([&](int to, const Volume& volume) { visit(from, to, volume); });
  }
}

void write_matrix(const Summary& summary, const Matrix& matrix, SharedFlows& shared_flows, const WritePiece& write) {
  std::uint64_t count = 0;
  for_each_pair(summary, matrix, shared_flows, [&](int, int, const Volume&) { ++count; });
  const bool whole = !matrix.with_shares || shared_flows.fit();
  for (const bool bytes : {true, false}) {
    const std::string file = fmt::format("{}.{}.mtx", matrix.name, bytes ? "bytes" : "messages");
    std::string text = fmt::format(
        "%%MatrixMarket matrix coordinate integer general\n% {} sent, {}; row: sender, column: receiver, world ranks "
        "from 1\n",
        bytes ? "bytes" : "messages", matrix.name);
    if (!whole) text += "% without the collective calls in which all partners get alike: see comm.json\n";
    fmt::format_to(Out(text), "{} {} {}\n", summary.ranks, summary.ranks, count);
    for_each_pair(summary, matrix, shared_flows, [&](int from, int to, const Volume& volume) {
      fmt::format_to(Out(text), "{} {} {}\n", from + 1, to + 1, bytes ? volume.bytes : volume.messages);
      if (text.size() < (1U << 20U)) return;
      write(file, text);
      text.clear();
    });
    write(file, text);
  }
}

}  // namespace

void write_matrices(const Summary& summary, const WritePiece& write) {
  SharedFlows shared_flows(summary);
  for (const Matrix& matrix : {Matrix{"p2p", {p2p}, false}, Matrix{"osc", {put, fetched}, false},
                               Matrix{"coll", {coll}, true}, Matrix{"total", {p2p, put, fetched, coll}, true}})
    write_matrix(summary, matrix, shared_flows, write);
}

}  // namespace comm
