// SPDX-License-Identifier: BSD-3-Clause
// wait_rows.cc - waits by kind and place, by pairs of ranks, and each rank's time

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "waits/figures.hpp"
#include "waits/largest.hpp"

namespace cairn::waits {

namespace {

constexpr std::size_t most_rows = 500;
constexpr std::size_t most_pairs = 10'000;

/// One wait may be of two kinds and for two calls, one after the other.
template <class Visit>
void each_part(const Graph& graph, const Wait& wait, Visit visit) {
  const Index began = wait.early.began != none ? wait.early.began : wait.culprit;
  if (wait.early.ns > 0) visit(wait.early.kind, began, wait.early.ns);
  if (const std::int64_t rest = wait.ns(graph) - wait.early.ns; rest > 0) visit(wait.kind, wait.culprit, rest);
}

}  // namespace

void WaitSums::add(const Figures& section) {
  add_waits(section);
  add_ranks(section);
}

void WaitSums::add_waits(const Figures& section) {
  const Graph& graph = section.graph;
  for (const Wait& wait : section.waits.all) {
    int last = -1;
    each_part(graph, wait, [&](WaitKind kind, Index culprit, std::int64_t ns) {
      const Node& node = graph.nodes[wait.node];
      Waited& sum = waits_[{kind, node.site, wait.comm, node.region}];
      sum.ns += ns;
      ++sum.count;
      sum.by_rank[graph.rank(wait.node)] += ns;
      auto& [of_pair, count] = pairs_[{graph.rank(wait.node), graph.rank(culprit)}];
      of_pair += ns;
      if (std::exchange(last, graph.rank(culprit)) != graph.rank(culprit)) ++count;
    });
    if (pairs_.size() > 16 * most_pairs)  // memory does not grow with ranks times ranks
      pairs_left_out_ += keep_largest(pairs_, most_pairs, [](const auto& one) { return one.second.first; });
  }
}

void WaitSums::add_ranks(const Figures& section) {
  const Graph& graph = section.graph;
  for (const Lane& lane : graph.lanes) {
    if (!lane.is_main) continue;
    formats::waits::RankSplit& row = ranks_[lane.rank];
    row.split.work += section.work.by_rank()[static_cast<std::size_t>(lane.rank)];
    for (Index node = lane.first + (lane.begins_earlier ? 1 : 0); node < lane.last; ++node) {
      const std::int64_t waited = section.waits.ns(graph, node);
      const std::int64_t rest = graph.nodes[node].exit - graph.nodes[node].entry - waited;
      row.split.waiting += seconds_of(waited);
      double& of = node == lane.first               ? row.split.start
                   : section.waits.is_unknown[node] ? row.split.unknown
                                                    : row.split.transfer;
      of += seconds_of(rest);
    }
  }
  for (const CauseSum& cause : section.causes)
    for (const auto& [rank, cost] : cause.by_rank)
      if (!cause.is_usual) ranks_[rank].caused += 1e-9 * cost;
}

void WaitSums::fill_rows(const Names& names, Summary& summary) const {
  for (const auto& [key, sum] : waits_) {
    const auto& [kind, site, comm, region] = key;
    formats::waits::Wait& row = summary.waits.emplace_back();
    row.kind = wait_names[static_cast<std::size_t>(kind)];
    row.place = names.place(site);
    row.communicator = names.comms[comm].name;
    row.region = names.regions[region];
    row.time = seconds_of(sum.ns);
    row.count = sum.count;
    const auto worst = std::ranges::max_element(sum.by_rank, {}, [](const auto& one) { return one.second; });
    row.most = seconds_of(worst->second);
    row.worst_rank = worst->first;
    for (const auto& [rank, ns] : sum.by_rank) row.ranks.push_back(rank);
  }
  std::ranges::stable_sort(summary.waits, std::greater{}, &formats::waits::Wait::time);
  if (summary.waits.size() > most_rows) {
    summary.waits_left_out = summary.waits.size() - most_rows;
    summary.waits.resize(most_rows);
  }
}

void WaitSums::fill_pairs(Summary& summary) const {
  for (const auto& [pair, sum] : pairs_)
    summary.pairs.push_back({pair.first, pair.second, seconds_of(sum.first), sum.second});
  std::ranges::stable_sort(summary.pairs, std::greater{}, &formats::waits::Pair::time);
  summary.pairs_left_out = pairs_left_out_;
  if (summary.pairs.size() > most_pairs) {
    summary.pairs_left_out += summary.pairs.size() - most_pairs;
    summary.pairs.resize(most_pairs);
  }
}

void WaitSums::fill(const Names& names, Summary& summary) const {
  fill_rows(names, summary);
  fill_pairs(summary);
  for (const auto& [rank, row] : ranks_) {
    summary.by_rank.push_back(row);
    summary.by_rank.back().rank = rank;
    summary.split.work += row.split.work;
    summary.split.waiting += row.split.waiting;
    summary.split.transfer += row.split.transfer;
    summary.split.start += row.split.start;
    summary.split.unknown += row.split.unknown;
  }
}

}  // namespace cairn::waits
