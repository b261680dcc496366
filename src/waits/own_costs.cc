// SPDX-License-Identifier: BSD-3-Clause
// own_costs.cc - whose work is little, and how many threads of a process wait at each moment

#include "waits/own_costs.hpp"

#include <algorithm>
#include <tuple>

#include "waits/returns.hpp"

namespace cairn::waits {

OwnCosts::OwnCosts(const Graph& graph, const Waits& waits) : graph_(graph), waits_(waits) {
  std::vector<Process> processes(static_cast<std::size_t>(graph.size));
  find_who_hardly_works(processes);
  for (Index i = 0; i < waits.all.size(); ++i) {
    ns_.push_back(static_cast<double>(waits.all[i].ns(graph)));
    Process& process = processes[static_cast<std::size_t>(graph.rank(waits.all[i].node))];
    if (process.busiest != none) process.waits.push_back(i);
  }
  for (const Process& process : processes) share(process);
}

/// A main thread is one only if another one makes more calls.
void OwnCosts::find_who_hardly_works(std::vector<Process>& processes) {
  std::vector<double> work;  // by lane
  const auto calls_of = [this](Index lane) { return graph_.lanes[lane].last - graph_.lanes[lane].first; };
  for (Index lane = 0; lane < graph_.lanes.size(); ++lane) {
    const Lane& thread = graph_.lanes[lane];
    double& ns = work.emplace_back(0);
    for (Index node = thread.first + 1; node < thread.last; ++node)
      ns += static_cast<double>(graph_.work_before_ns(node));
    Process& process = processes[static_cast<std::size_t>(thread.rank)];
    if (thread.is_main) process.main = lane;
    else if (process.main != none && process.busiest == none) process.busiest = process.main;
    if (process.busiest != none && ns > work[process.busiest]) process.busiest = lane;
  }
  const auto work_of = [&](const Process& process) {
    return work[process.busiest == none ? process.main : process.busiest];
  };
  double sum = 0;
  double known = 0;
  for (const Process& process : processes) {
    if (process.main == none) continue;
    sum += work_of(process);
    ++known;
  }
  constexpr double idle = 0.125;
  for (const Process& process : processes)
    is_idle_.push_back(process.main != none && work_of(process) * known < idle * sum);
  constexpr double hardly = 0.1;
  is_bystander_.resize(work.size());
  for (Index lane = 0; lane < work.size(); ++lane) {
    const Process& process = processes[static_cast<std::size_t>(graph_.lanes[lane].rank)];
    if (process.busiest == none || process.busiest == lane || work[lane] * known >= hardly * sum) continue;
    is_bystander_[lane] = lane != process.main || calls_of(process.busiest) > calls_of(lane);
  }
}

/// When a wait begins to cost anything; its end: never.
std::int64_t OwnCosts::since(const Wait& wait, Index main) const {
  const Index own = graph_.nodes[wait.node].lane;
  const std::int64_t entry = graph_.nodes[wait.node].entry;
  if (!is_bystander_[own]) return entry;
  const Lane& thread = graph_.lanes[main];
  const Index last = last_begun(graph_, thread, wait.until);
  if (own == main || last == none || last + 1 == thread.last || graph_.nodes[last].exit > wait.until) return wait.until;
  const bool is_waited_for = std::ranges::any_of(
      graph_.joined(last + 1), [&](const Join& join) { return join.is_often && graph_.nodes[join.last].lane == own; });
  return is_waited_for ? std::max(entry, graph_.nodes[last].exit) : wait.until;
}

void OwnCosts::share(const Process& process) {
  std::vector<std::tuple<std::int64_t, bool, Index>> moments;  // whether it begins, which
  for (const Index i : process.waits) {
    const Wait& wait = waits_.all[i];
    ns_[i] = 0;
    const std::int64_t begin = since(wait, process.main);
    if (begin >= wait.until) continue;
    moments.emplace_back(begin, true, i);
    moments.emplace_back(wait.until, false, i);
  }
  std::ranges::sort(moments);
  double each = 0;  // of those that have waited all the time
  double waiting = 0;
  std::int64_t last = 0;
  for (const auto& [moment, begins, i] : moments) {
    if (waiting > 0) each += static_cast<double>(moment - last) / waiting;
    last = moment;
    waiting += begins ? 1 : -1;
    ns_[i] += begins ? -each : each;
  }
}

}  // namespace cairn::waits
