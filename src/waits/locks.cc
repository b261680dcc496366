// SPDX-License-Identifier: BSD-3-Clause
// locks.cc - who had the lock of a window before, as far as the calls tell
//
// When a lock was given is not recorded, and libraries may ask for it later than in MPI_Win_lock. But neither a flush of
// an access nor MPI_Win_unlock returns without it. So locks were had in the order of these, as long as a process is not
// kept from returning for longer than the next one needs; and one waits for the last that it cannot be had with.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "waits/graph.hpp"

namespace cairn::waits {

namespace {

/// The locks of one window that were given back so far.
class Before {
 public:
  /// The last one that this one could not be had with; null: none.
  const Lock* of(const Lock& lock) const {
    if (lock.target < 0) return last_exclusive_;
    const auto same = targets_.find(lock.target);
    const Last last = same == targets_.end() ? Last{} : same->second;
    return lock.is_exclusive ? std::max(last.any, all_) : last.exclusive;  // later ones lie behind
  }
  void add(const Lock& lock) {
    if (lock.target < 0) {
      all_ = &lock;
      return;
    }
    Last& last = targets_[lock.target];
    last.any = &lock;
    if (lock.is_exclusive) last.exclusive = last_exclusive_ = &lock;
  }

 private:
  struct Last {
    const Lock* any = nullptr;
    const Lock* exclusive = nullptr;
  };
  std::map<std::int32_t, Last> targets_;
  const Lock* all_ = nullptr;             // MPI_Win_lock_all
  const Lock* last_exclusive_ = nullptr;  // of any target
};

/// The call from the lock on in which the moment lies; none: it lies outside.
Index call_at(const Graph& graph, const Lock& lock, std::int64_t moment) {
  const Index last = std::min(lock.end + 1, graph.lanes[graph.nodes[lock.begin].lane].last);
  if (last <= lock.begin) return none;
  const auto calls = graph.nodes.begin();
  const auto found = std::lower_bound(calls + lock.begin, calls + last, moment,
                                      [](const Node& call, std::int64_t at) { return call.exit < at; });
  return found != calls + last && found->entry < moment ? static_cast<Index>(found - calls) : none;
}

}  // namespace

/// A process without records may have had the lock before.
void Graph::find_locks_of_unknown() {
  if (std::ranges::count_if(lanes, &Lane::is_main) >= size) return;
  std::map<Index, std::set<int>> known;  // by window
  for (const Lock& lock : locks_) known[lock.comm].insert(rank(lock.begin));
  for (const Operation& operation : operations)
    if (const auto window = known.find(operation.comm); window != known.end())
      for (Index i = operation.first; i < operation.first + operation.count; ++i) window->second.insert(parts[i].rank);
  for (const Lock& lock : locks_)
    if (static_cast<int>(known[lock.comm].size()) < comms[lock.comm].size)
      unknown.insert(unknown.end(), {lock.begin, lock.had});
}

void Graph::find_locks() {
  std::ranges::sort(locks_, {},
                    [&](const Lock& lock) { return std::tuple(lock.comm, nodes[lock.had].exit, lock.had); });
  Before before;
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    if (i == 0 || locks_[i].comm != locks_[i - 1].comm) before = {};
    const Lock& lock = locks_[i];
    const Lock* const other = before.of(lock);
    before.add(lock);
    held.push_back({lock.end, other == nullptr ? none : other->end});
    if (other == nullptr || rank(other->end) == rank(lock.begin)) continue;
    if (const Index waiting = call_at(*this, lock, nodes[other->end].entry); waiting != none)
      links.push_back({other->end, none, waiting, waiting, 0, lock.comm, SendMode::standard, Signal::unlock});
  }
  std::ranges::sort(held, {}, &Held::unlock);
}

}  // namespace cairn::waits
