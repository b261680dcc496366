// SPDX-License-Identifier: BSD-3-Clause
// choices.cc - what a call could have taken, and what of that a replay has first

#include "waits/choices.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace cairn::waits {

namespace {

constexpr std::uint32_t of_requests = 0;

/// Completes one of several requests, or some, or is asked about several in turn.
bool completes_any(const std::string& function) {
  for (const char* const name :
       {"MPI_Waitany", "MPI_Waitsome", "MPI_Testany", "MPI_Testsome", "MPI_Test", "MPI_Iprobe", "MPI_Improbe"})
    if (function == name) return true;
  return false;
}

/// Those from anybody that receives asked for alike.
std::uint32_t group_of(const Link& link) { return 1 + link.comm * 256U + link.of_any; }

/// What ranks do in the replay's last run on average: in the start of MPI, which is as long whatever changes, and outside MPI.
/// Of several threads one may only wait for the others: the least.
std::int64_t mean_work_ns(const Graph& graph, const Replay& replay) {
  std::int64_t sum = 0;
  std::int64_t ranks = 0;
  std::int64_t least = 0;  // of the rank's threads so far
  for (Index lane = 0; lane < graph.lanes.size(); ++lane) {
    const Lane& thread = graph.lanes[lane];
    const std::int64_t work = replay.work_ns_of(lane);
    if (thread.is_main) {
      sum += least + graph.nodes[thread.first].exit - graph.nodes[thread.first].entry;
      ++ranks;
    }
    least = thread.is_main ? work : std::min(least, work);
  }
  return ranks == 0 ? 0 : (sum + least) / ranks;
}

}  // namespace

Choices::Choices(const Graph& graph, const Waits& waits) : graph_(graph) {
  std::vector<bool> is_any_of;
  for (const Site& site : graph.sites) is_any_of.push_back(completes_any(site.function));
  std::vector<bool> is_taken(graph.links.size());  // by a probe, or by the call that receives
  for (Index node = 0; node < graph.nodes.size(); ++node)
    for (Index i = graph.ended_at[node]; i < graph.ended_at[node + 1]; ++i) {
      const Ended& one = graph.ended[i];
      if (one.what == Ended::part || (one.needs_sender() && is_taken[one.which])) continue;
      if (one.needs_sender()) is_taken[one.which] = true;
      add(node, one, waits, is_any_of[graph.nodes[node].site]);
    }
  std::ranges::sort(all_, {}, [&](const Choice& one) { return std::tuple(lane(one), one.group, one.call, one.from); });
}

/// Messages from anybody could be taken at any time, requests once they have been made; sends that need no receiver are
/// complete at once.
void Choices::add(Index node, const Ended& one, const Waits& waits, bool is_any_of) {
  const Link& link = graph_.links[one.which];
  const Index thread = graph_.nodes[node].lane;
  const Index first = graph_.lanes[thread].first;
  if (!one.needs_sender()) {
    if (is_any_of && waits.sends.needs_receiver(link) && graph_.nodes[link.send_begin].lane == thread &&
        link.receive_begin != none)
      all_.push_back({node, link.send_begin, link.receive_begin, of_requests});
    return;
  }
  if (link.of_any != 0) all_.push_back({node, first, link.send_begin, group_of(link)});
  if (!is_any_of) return;
  const bool is_request = one.what == Ended::receive && graph_.nodes[link.receive_begin].lane == thread;
  if (is_request || one.what == Ended::probe)
    all_.push_back({node, is_request ? link.receive_begin : first, link.send_begin, of_requests});
}

std::int64_t Choices::needless_of_requests_ns(Group group, const Replay& replay) {
  std::vector<Choice> by_from(group.begin(), group.end());
  std::ranges::stable_sort(by_from, {}, &Choice::from);
  using Other = std::pair<std::int64_t, Index>;  // when it is there, and the call that took it
  std::priority_queue<Other, std::vector<Other>, std::greater<>> others;
  auto next = by_from.begin();
  std::int64_t sum = 0;
  for (const Choice& one : group) {
    for (; next != by_from.end() && next->from < one.call; ++next)
      others.emplace(replay.entry_ns(next->other), next->call);
    while (!others.empty() && others.top().second <= one.call) others.pop();
    if (others.empty()) continue;
    const std::int64_t there = std::max(others.top().first, replay.entry_ns(one.call));
    sum += std::max<std::int64_t>(0, replay.entry_ns(one.other) - there);
  }
  return sum;
}

/// All that are taken later could be.
std::int64_t Choices::needless_ns(Group group, const Replay& replay) {
  std::int64_t first_later = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  for (auto one = group.rbegin(); one != group.rend(); ++one) {
    const std::int64_t there = replay.entry_ns(one->other);
    sum += std::max<std::int64_t>(0, there - std::max(first_later, replay.entry_ns(one->call)));
    first_later = std::min(first_later, there);
  }
  return sum;
}

/// A message from anybody that a request was made for is in two groups, and counts in one.
std::int64_t Choices::earlier_ns(const Replay& replay, std::int64_t run_ns) const {
  std::int64_t most = 0;
  const Group all(all_);
  for (std::size_t i = 0; i < all.size();) {
    const Index thread = lane(all[i]);
    std::int64_t of_any = 0;
    while (i < all.size() && lane(all[i]) == thread) {
      const std::size_t first = i;
      while (i < all.size() && lane(all[i]) == thread && all[i].group == all[first].group) ++i;
      const Group group = all.subspan(first, i - first);
      if (group.front().group == of_requests) most = std::max(most, needless_of_requests_ns(group, replay));
      else of_any += needless_ns(group, replay);
    }
    most = std::max(most, of_any);
  }
  return most == 0 ? 0 : std::clamp<std::int64_t>(run_ns - mean_work_ns(graph_, replay), 0, most);
}

}  // namespace cairn::waits
