// SPDX-License-Identifier: BSD-3-Clause
// locks.cc - who had the lock of a window before, as far as the calls tell
//
// When a lock was given is not recorded, and libraries may ask for it later than in MPI_Win_lock. But neither a flush of
// an access nor MPI_Win_unlock returns without it. So locks were had in the order of these, as long as a process is not
// kept from returning for longer than the next one needs; and one waits for the last that it cannot be had with.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "waits/graph.hpp"

namespace cairn::waits {

namespace {

/// Of locks the one that was given back last, and the same of other ranks than its own.
class LastGiven {
 public:
  const Lock* but(int rank) const { return last_.lock != nullptr && last_.rank == rank ? other_.lock : last_.lock; }
  void add(const Lock& lock, int rank, std::int64_t until) {
    const One one{&lock, rank, until};
    if (last_.lock == nullptr || until > last_.until) {
      if (last_.lock != nullptr && last_.rank != rank) other_ = last_;
      last_ = one;
    } else if (rank != last_.rank && (other_.lock == nullptr || until > other_.until)) {
      other_ = one;
    }
  }

 private:
  struct One {
    const Lock* lock = nullptr;
    int rank = -1;
    std::int64_t until = 0;
  };
  One last_, other_;
};

/// The locks of one window that were had so far.
class Before {
 public:
  explicit Before(const Graph& graph) : graph_(graph) {}

  /// Of those that this one could not be had with, the one that was given back last; of several, by another rank. Null:
  /// none.
  const Lock* of(const Lock& lock) const {
    if (lock.target < 0) return exclusive_.but(rank(lock));
    const auto same = targets_.find(lock.target);
    const Lock* const exclusive = same == targets_.end() ? nullptr : same->second.exclusive;
    if (!lock.is_exclusive) return exclusive;
    return later(exclusive, last_reader(lock));
  }
  /// Who else had it when this one, which is shared, was given; null: nobody.
  const Lock* beside(const Lock& lock) const {
    const Lock* const other = last_reader(lock);
    return other != nullptr && until(*other) > graph_.nodes[lock.begin].entry ? other : nullptr;
  }
  void add(const Lock& lock) {
    if (lock.target < 0) return of_all_.add(lock, rank(lock), until(lock));
    Of& of = targets_[lock.target];
    if (!lock.is_exclusive) return of.readers.add(lock, rank(lock), until(lock));
    of.readers = {};
    of.exclusive = &lock;
    exclusive_.add(lock, rank(lock), until(lock));
  }

 private:
  struct Of {
    const Lock* exclusive = nullptr;
    LastGiven readers;  // since then
  };
  int rank(const Lock& lock) const { return graph_.rank(lock.begin); }
  std::int64_t until(const Lock& lock) const { return graph_.nodes[lock.end].entry; }
  /// Of its target, by another rank.
  const Lock* last_reader(const Lock& lock) const {
    const auto same = targets_.find(lock.target);
    const Lock* const shared = same == targets_.end() ? nullptr : same->second.readers.but(rank(lock));
    return later(shared, of_all_.but(rank(lock)));
  }
  const Lock* later(const Lock* one, const Lock* other) const {
    if (one == nullptr || other == nullptr) return one == nullptr ? other : one;
    return until(*one) > until(*other) ? one : other;
  }

  const Graph& graph_;
  std::map<std::int32_t, Of> targets_;
  LastGiven of_all_;     // MPI_Win_lock_all
  LastGiven exclusive_;  // of any target
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
  if (has_all_ranks()) return;
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
  std::optional<Before> before;
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    if (i == 0 || locks_[i].comm != locks_[i - 1].comm) before.emplace(*this);
    const Lock& lock = locks_[i];
    const Lock* const other = before->of(lock);
    const Lock* const beside = lock.is_exclusive ? nullptr : before->beside(lock);
    before->add(lock);
    const Lock* const holder = beside != nullptr ? beside : other;
    held.push_back({lock.end, lock.begin, holder == nullptr ? none : holder->end, beside != nullptr});
    if (other == nullptr || rank(other->end) == rank(lock.begin)) continue;
    if (const Index waiting = call_at(*this, lock, nodes[other->end].entry); waiting != none)
      links.push_back({other->end, none, waiting, waiting, 0, lock.comm, SendMode::standard, Signal::unlock});
  }
  std::ranges::sort(held, {}, &Held::unlock);
}

}  // namespace cairn::waits
