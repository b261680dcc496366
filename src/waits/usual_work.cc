// SPDX-License-Identifier: BSD-3-Clause
// usual_work.cc - the median of ranks, time by time

#include "waits/usual_work.hpp"

#include <algorithm>
#include <functional>

namespace cairn::waits {

namespace {

std::int64_t lower_median(std::vector<std::int64_t>& all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

}  // namespace

UsualWork::UsualWork(const Graph& graph, const std::vector<bool>& is_idle) {
  if (std::ranges::none_of(is_idle, std::identity())) return;  // nobody asks
  std::vector<std::vector<Index>> by_site(graph.sites.size());
  for (const Lane& lane : graph.lanes)
    for (Index node = lane.first + 1; node < lane.last && !is_idle[static_cast<std::size_t>(lane.rank)]; ++node)
      by_site[graph.nodes[node].site].push_back(node);
  before_.resize(graph.nodes.size());
  for (const std::vector<Index>& nodes : by_site) {
    Calls by_rank;
    for (const Index node : nodes) {
      if (by_rank.empty() || graph.rank(by_rank.back().back()) != graph.rank(node)) by_rank.emplace_back();
      by_rank.back().push_back(node);
    }
    if (by_rank.size() > 1) put(graph, by_rank);
  }
}

void UsualWork::put(const Graph& graph, const Calls& by_rank) {
  const auto differs = [&](const std::vector<Index>& calls) { return calls.size() != by_rank.front().size(); };
  const bool are_all_alike = std::ranges::none_of(by_rank, differs);
  std::vector<std::int64_t> ns;
  for (std::size_t time = 0; are_all_alike && time < by_rank.front().size(); ++time) {
    ns.clear();
    for (const std::vector<Index>& calls : by_rank) ns.push_back(graph.work_before_ns(calls[time]));
    const std::int64_t usual = lower_median(ns);
    for (const std::vector<Index>& calls : by_rank) before_[calls[time]] = usual;
  }
  if (are_all_alike) return;
  for (const std::vector<Index>& calls : by_rank)
    for (const Index call : calls) ns.push_back(graph.work_before_ns(call));
  const std::int64_t usual = lower_median(ns);
  for (const std::vector<Index>& calls : by_rank)
    for (const Index call : calls) before_[call] = usual;
}

}  // namespace cairn::waits
