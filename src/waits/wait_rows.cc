// SPDX-License-Identifier: BSD-3-Clause
// wait_rows.cc - waits by kind and place, by pair of ranks, and all time by rank

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "waits/figures.hpp"

namespace cairn::waits {

namespace {

constexpr std::size_t most_rows = 500;
constexpr std::size_t most_pairs = 10'000;

using Key = std::tuple<WaitKind, Index, Index, Index>;  // site, communicator, region
struct Sum {
  std::int64_t ns = 0;
  std::uint64_t count = 0;
  std::map<int, std::int64_t> by_rank;
};

/// One wait may be of two kinds, one after the other.
template <class Visit>
void each_part(const Graph& graph, const Wait& wait, Visit visit) {
  if (wait.early > 0) visit(WaitKind::early_reduce, wait.early);
  if (const std::int64_t rest = wait.ns(graph) - wait.early; rest > 0) visit(wait.kind, rest);
}

void fill_rows(const Figures& figures, Summary& summary) {
  const Graph& graph = figures.graph;
  std::map<Key, Sum> sums;
  for (const Wait& wait : figures.waits.all)
    each_part(graph, wait, [&](WaitKind kind, std::int64_t ns) {
      const Node& node = graph.nodes[wait.node];
      Sum& sum = sums[{kind, node.site, wait.comm, node.region}];
      sum.ns += ns;
      ++sum.count;
      sum.by_rank[graph.rank(wait.node)] += ns;
    });
  for (const auto& [key, sum] : sums) {
    const auto& [kind, site, comm, region] = key;
    formats::waits::Wait& row = summary.waits.emplace_back();
    row.kind = wait_names[static_cast<std::size_t>(kind)];
    row.place = figures.place(site);
    row.communicator = graph.comms[comm].name;
    row.region = graph.regions[region];
    row.time = figures.seconds(sum.ns);
    row.count = sum.count;
    const auto worst = std::ranges::max_element(sum.by_rank, {}, [](const auto& one) { return one.second; });
    row.most = figures.seconds(worst->second);
    row.worst_rank = worst->first;
    for (const auto& [rank, ns] : sum.by_rank) row.ranks.push_back(rank);
  }
  std::ranges::stable_sort(summary.waits, std::greater{}, &formats::waits::Wait::time);
  if (summary.waits.size() > most_rows) {
    summary.waits_left_out = summary.waits.size() - most_rows;
    summary.waits.resize(most_rows);
  }
}

void fill_pairs(const Figures& figures, Summary& summary) {
  std::map<std::pair<int, int>, std::pair<std::int64_t, std::uint64_t>> sums;
  for (const Wait& wait : figures.waits.all) {
    auto& [ns, count] = sums[{figures.graph.rank(wait.node), figures.graph.rank(wait.culprit)}];
    ns += wait.ns(figures.graph);
    ++count;
  }
  for (const auto& [pair, sum] : sums)
    summary.pairs.push_back({pair.first, pair.second, figures.seconds(sum.first), sum.second});
  std::ranges::stable_sort(summary.pairs, std::greater{}, &formats::waits::Pair::time);
  if (summary.pairs.size() > most_pairs) summary.pairs.resize(most_pairs);
}

void fill_ranks(const Figures& figures, Summary& summary) {
  const Graph& graph = figures.graph;
  std::map<int, formats::waits::RankSplit> ranks;
  for (const Lane& lane : graph.lanes) {
    if (!lane.is_main) continue;
    formats::waits::RankSplit& row = ranks[lane.rank];
    row.rank = lane.rank;
    row.split.work = figures.work.by_rank()[static_cast<std::size_t>(lane.rank)];
    for (Index node = lane.first; node < lane.last; ++node) {
      const std::int64_t waited = figures.waits.ns(graph, node);
      const std::int64_t rest = graph.nodes[node].exit - graph.nodes[node].entry - waited;
      row.split.waiting += figures.seconds(waited);
      (node == lane.first ? row.split.start : row.split.transfer) += figures.seconds(rest);
    }
  }
  for (const CauseSum& cause : figures.causes)
    for (const auto& [rank, cost] : cause.by_rank) ranks[rank].caused += 1e-9 * cost;
  for (const auto& [rank, row] : ranks) {
    summary.by_rank.push_back(row);
    summary.by_rank.back().rank = rank;
    summary.split.work += row.split.work;
    summary.split.waiting += row.split.waiting;
    summary.split.transfer += row.split.transfer;
    summary.split.start += row.split.start;
  }
}

}  // namespace

void fill_waits(const Figures& figures, Summary& summary) {
  fill_rows(figures, summary);
  fill_pairs(figures, summary);
  fill_ranks(figures, summary);
}

}  // namespace cairn::waits
