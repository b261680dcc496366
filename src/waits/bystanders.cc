// SPDX-License-Identifier: BSD-3-Clause
// bystanders.cc - whose work is little, and whose end is waited for

#include "waits/bystanders.hpp"

#include <algorithm>
#include <map>

#include "waits/returns.hpp"

namespace cairn::waits {

Bystanders::Bystanders(const Graph& graph) : graph_(graph) {
  std::map<int, double> busiest;  // thread's work, by rank
  std::map<int, Index> mains;
  std::vector<double> work;
  for (const Lane& lane : graph.lanes) {
    double& ns = work.emplace_back(0);
    for (Index node = lane.first + 1; node < lane.last; ++node)
      ns += static_cast<double>(work_ns(graph.nodes[node - 1], graph.nodes[node]));
    double& most = busiest[lane.rank];
    most = std::max(most, ns);
    if (lane.is_main) mains[lane.rank] = static_cast<Index>(work.size() - 1);
  }
  double all = 0;
  for (const auto& [rank, ns] : busiest) all += ns;
  constexpr double hardly = 0.1;
  const double least = busiest.empty() ? 0 : hardly * all / static_cast<double>(busiest.size());
  for (std::size_t lane = 0; lane < work.size(); ++lane) {
    const auto main = mains.find(graph.lanes[lane].rank);
    main_.push_back(main == mains.end() ? none : main->second);
    is_one_.push_back(main_.back() != none && main_.back() != lane && work[lane] < least);
  }
}

std::int64_t Bystanders::cost_ns(const Wait& wait) const {
  const std::int64_t all = wait.ns(graph_);
  const Index own = graph_.nodes[wait.node].lane;
  if (!is_one_[own]) return all;
  const Lane& main = graph_.lanes[main_[own]];
  const Index last = last_begun(graph_, main, wait.until);
  if (last == none || last + 1 == main.last || graph_.nodes[last].exit > wait.until) return 0;
  const bool is_waited_for = std::ranges::any_of(
      graph_.joined(last + 1), [&](const Join& join) { return graph_.nodes[join.last].lane == own; });
  return is_waited_for ? std::min(all, wait.until - graph_.nodes[last].exit) : 0;
}

}  // namespace cairn::waits
