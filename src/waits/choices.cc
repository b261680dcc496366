// SPDX-License-Identifier: BSD-3-Clause
// choices.cc - which messages a call could have taken, and which of them a replay has first

#include "waits/choices.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace cairn::waits {

namespace {

/// Completes one of several requests, or some, or is asked about several in turn.
bool completes_any(const std::string& function) {
  for (const char* const name : {"MPI_Waitany", "MPI_Waitsome", "MPI_Testany", "MPI_Testsome", "MPI_Test"})
    if (function == name) return true;
  return false;
}

/// What ranks do outside MPI in the replay's last run, on average.
std::int64_t mean_work_ns(const Graph& graph, const Replay& replay) {
  std::int64_t work = 0;
  std::int64_t ranks = 0;
  for (const Lane& lane : graph.lanes) {
    if (!lane.is_main) continue;
    ++ranks;
    work += replay.entry_ns(lane.last - 1) - replay.entry_ns(lane.first);
    for (Index node = lane.first; node + 1 < lane.last; ++node) work -= replay.call_ns(node);
  }
  return ranks == 0 ? 0 : work / ranks;
}

}  // namespace

Choices::Choices(const Graph& graph) : graph_(graph) {
  std::vector<bool> is_any_of;
  for (const Site& site : graph.sites) is_any_of.push_back(completes_any(site.function));
  std::vector<bool> is_taken(graph.links.size());  // by a probe, or by the call that receives
  for (Index node = 0; node < graph.nodes.size(); ++node)
    for (Index i = graph.ended_at[node]; i < graph.ended_at[node + 1]; ++i)
      if (const Ended& one = graph.ended[i]; one.needs_sender() && !is_taken[one.which]) {
        is_taken[one.which] = true;
        add(node, graph.links[one.which], is_any_of[graph.nodes[node].site]);
      }
  std::ranges::stable_sort(all_, {}, [](const Choice& one) { return std::pair(one.group, one.call); });
}

/// Of the messages from anybody each communicator's are a group, which the thread could take at any time; the requests
/// that calls for several complete are another one.
void Choices::add(Index node, const Link& link, bool is_any_of) {
  if (!link.is_of_any && !is_any_of) return;
  const Index lane = graph_.nodes[node].lane;
  const std::uint64_t thread = std::uint64_t{lane} << 32U;
  if (link.is_of_any) all_.push_back({thread | (link.comm + 1U), node, graph_.lanes[lane].first, link.send_begin});
  else if (graph_.nodes[link.receive_begin].lane == lane)
    all_.push_back({thread, node, link.receive_begin, link.send_begin});
}

template <class Visit>
void Choices::for_all_groups(Visit visit) const {
  for (auto first = all_.begin(); first != all_.end();) {
    const auto last = std::find_if(first, all_.end(), [&](const Choice& one) { return one.group != first->group; });
    visit(first, last);
    first = last;
  }
}

std::int64_t Choices::needless_ns(Place first, Place last, const Replay& replay) {
  std::vector<Choice> by_from(first, last);
  std::ranges::stable_sort(by_from, {}, &Choice::from);
  using Other = std::pair<std::int64_t, Index>;  // when it is there, and the call that took it
  std::priority_queue<Other, std::vector<Other>, std::greater<>> others;
  auto next = by_from.begin();
  std::int64_t sum = 0;
  for (auto one = first; one != last; ++one) {
    for (; next != by_from.end() && next->from < one->call; ++next)
      others.emplace(replay.entry_ns(next->sent), next->call);
    while (!others.empty() && others.top().second <= one->call) others.pop();
    if (others.empty()) continue;
    const std::int64_t there = std::max(others.top().first, replay.entry_ns(one->call));
    sum += std::max<std::int64_t>(0, replay.entry_ns(one->sent) - there);
  }
  return sum;
}

std::int64_t Choices::earlier_ns(const Replay& replay, std::int64_t run_ns) const {
  std::int64_t most = 0;
  for_all_groups([&](Place first, Place last) { most = std::max(most, needless_ns(first, last, replay)); });
  if (most == 0) return 0;
  return std::clamp<std::int64_t>(run_ns - mean_work_ns(graph_, replay), 0, most);
}

}  // namespace cairn::waits
