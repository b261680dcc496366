// SPDX-License-Identifier: BSD-3-Clause
// threads.cc - which threads of a process start after a call of its main one, and which it waits for

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "waits/graph.hpp"

namespace cairn::waits {

/// The main thread is the first of its rank's: visit(main one, another one).
template <class Visit>
void Graph::for_further_threads(Visit visit) {
  const Lane* main = nullptr;
  for (Lane& lane : lanes) {
    if (lane.is_main) main = &lane;
    else if (main != nullptr) visit(*main, lane);
  }
}

void Graph::find_first_starts() {
  for_further_threads([&](const Lane& main, Lane& lane) {
    if (lane.begins_earlier) return;
    const Index next = first_over(main, nodes[lane.first].entry);
    if (next != main.first) lane.after = next - 1;
  });
}

namespace {

constexpr std::size_t least_times = 6;  // of what is seen often: by chance, half of them would be so

/// Between two calls of a thread that follow each other at these places, in one process.
struct Between {
  int rank = 0;
  Index from = none;
  Index to = none;

  auto operator<=>(const Between&) const = default;
};

/// How many calls the main thread has made at each of its places meanwhile, each time.
class MainCalls {
 public:
  void add_gap() { ++gaps_; }
  void add(Index site, std::uint32_t count) { ++times_[{site, count}]; }
  /// The same number nine times of ten.
  bool are_in_step(Index site, std::uint32_t count) const {
    const auto found = times_.find({site, count});
    return gaps_ >= least_times && found != times_.end() && 10 * found->second >= 9 * gaps_;
  }

 private:
  std::size_t gaps_ = 0;
  std::map<std::pair<Index, std::uint32_t>, std::size_t> times_;
};

}  // namespace

/// A thread that is in step with the main one: between two of its calls that one always makes as many at some place. Then
/// it goes on after the last of these. Threads that do not depend on each other drift apart.
void Graph::find_starts() {
  struct Last {
    Index call = none;
    std::uint32_t count = 0;
  };
  std::map<Index, Last> at_sites;  // between two calls
  const auto for_gaps = [&](auto visit) {
    for_further_threads([&](const Lane& main, const Lane& lane) {
      Index next = first_over(main, nodes[lane.first].exit);
      for (Index call = lane.first + 1; call < lane.last; ++call) {
        at_sites.clear();
        while (next < main.last && nodes[next].exit <= nodes[call - 1].exit) ++next;
        for (; next < main.last && nodes[next].exit <= nodes[call].entry; ++next) {
          Last& last = at_sites[nodes[next].site];
          last = {next, last.count + 1};
        }
        visit(call, Between{lane.rank, nodes[call - 1].site, nodes[call].site});
      }
    });
  };
  std::map<Between, MainCalls> all;
  for_gaps([&](Index /*call*/, const Between& between) {
    MainCalls& calls = all[between];
    calls.add_gap();
    for (const auto& [site, last] : at_sites) calls.add(site, last.count);
  });
  for_gaps([&](Index call, const Between& between) {
    const MainCalls& calls = all[between];
    Index latest = none;
    for (const auto& [site, last] : at_sites)
      if (calls.are_in_step(site, last.count) && (latest == none || nodes[last.call].exit > nodes[latest].exit))
        latest = last.call;
    if (latest != none) joins.push_back({call, latest, true});
  });
}

/// A thread of which there are calls later may be waited for, or not: it is where the main thread comes to the same call,
/// after the same one, again and again soon after some thread's call, and that one's next call is not over for long. So may
/// one whose last call comes by chance while the main thread works: that goes on for longer then.
void Graph::find_joins() {
  std::vector<Index> latest;  // by call of a main thread: of other threads' calls since the call before, the last one
  for_further_threads([&](const Lane& main, const Lane& lane) {
    if (is_last) add_join_at_end(main, lane);
    latest.resize(nodes.size(), none);
    find_latest(main, lane, latest);
  });
  if (!latest.empty()) add_joins_seen_often(latest);
  const auto order = [this](const Join& one) {
    return std::tuple(one.call, nodes[one.last].exit, one.last, !one.is_often);
  };
  std::ranges::sort(joins, {}, order);
  const auto are_same = [](const Join& one, const Join& other) {
    return one.call == other.call && one.last == other.last;
  };
  joins.erase(std::unique(joins.begin(), joins.end(), are_same), joins.end());
}

void Graph::add_join_at_end(const Lane& main, const Lane& lane) {
  constexpr double longest_rest = 0.1;  // of the time since the main thread's call before
  const std::int64_t end = nodes[lane.last - 1].exit;
  const Index next = first_entered(main, end);
  if (next == main.last || next == main.first || nodes[next - 1].exit >= end) return;
  const auto rest = static_cast<double>(nodes[next].entry - end);
  if (rest <= longest_rest * static_cast<double>(work_ns(nodes[next - 1], nodes[next])))
    joins.push_back({next, lane.last - 1});
}

void Graph::find_latest(const Lane& main, const Lane& lane, std::vector<Index>& latest) const {
  Index at = lane.first;  // its first call that is not over
  for (Index next = std::max(main.first + 1, first_entered(main, nodes[at].exit)); next < main.last && at < lane.last;
       ++next) {
    const Index before = at;
    while (at < lane.last && nodes[at].exit <= nodes[next].entry) ++at;
    if (at == before || nodes[at - 1].exit <= nodes[next - 1].exit) continue;
    if (latest[next] == none || nodes[latest[next]].exit < nodes[at - 1].exit) latest[next] = at - 1;
  }
}

void Graph::add_joins_seen_often(const std::vector<Index>& latest) {
  constexpr double soon = 0.15;  // mean, of the time since the main thread's call before, or until the other's next end
  struct Times {
    double rests = 0;  // parts of those times
    std::vector<Join> joins;
  };
  std::map<std::tuple<int, Index, Index>, Times> by_work;  // rank, sites of the calls around it
  for (Index next = 0; next < latest.size(); ++next) {
    const Index call = latest[next];
    if (call == none) continue;
    const bool has_next = call + 1 < lanes[nodes[call].lane].last;
    const std::int64_t until_next = has_next ? nodes[call + 1].exit - nodes[call].exit : INT64_MAX;
    const std::int64_t rest = nodes[next].entry - nodes[call].exit;
    Times& times = by_work[{rank(next), nodes[next - 1].site, nodes[next].site}];
    times.joins.push_back({next, call, true});
    times.rests += std::min(1.0, static_cast<double>(rest) /
                                     static_cast<double>(std::min(until_next, work_ns(nodes[next - 1], nodes[next]))));
  }
  for (const auto& [work, times] : by_work)
    if (const auto all = times.joins.size(); all >= least_times && times.rests <= soon * static_cast<double>(all))
      joins.insert(joins.end(), times.joins.begin(), times.joins.end());
}

}  // namespace cairn::waits
