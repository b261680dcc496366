// SPDX-License-Identifier: BSD-3-Clause
// locks.cc - reading from the calls on a window who has locked it

#include "where/locks.hpp"

#include <algorithm>

namespace cairn::where {

namespace {

bool is_on(const Call& call, const Object& window) {
  return call.object != nullptr && call.object->identity == window.identity;
}

void put(std::vector<int>& ranks, int rank) {
  if (ranks.empty() || ranks.back() != rank) ranks.push_back(rank);  // another thread of it may have come before
}

/// The latest call that locks or unlocks a target tells. A thread that is in a call on the window may wait for the lock
/// itself: libraries only note it in MPI_Win_lock.
void add_locks(LockHolders& holders, const Thread& thread, const Object& window, int rank) {
  if (thread.inside && is_on(*thread.inside, window)) return;
  std::set<int> known;
  bool is_latest = true;
  for (const Call& call : thread.calls) {
    const std::string& name = call.function->name;
    if (!is_on(call, window) || !is_passive(call) || name.find("flush") != std::string::npos) continue;
    const bool is_held = name.find("unlock") == std::string::npos;
    const bool is_exclusive = call.has(page::exclusive);
    if (is_latest && is_held) put(holders.all.of_any, rank);
    if (is_latest && is_held && is_exclusive) put(holders.exclusive.of_any, rank);
    is_latest = false;
    if (!call.has(page::has_peer)) {
      if (is_held) put(holders.of_all, rank);
      return;
    }
    if (!known.insert(call.peer).second || !is_held) continue;
    put(holders.all.of_target[call.peer], rank);
    if (is_exclusive) put(holders.exclusive.of_target[call.peer], rank);
  }
}

const LockHolders& find_holders(const Job& job, const Object& window) {
  const auto [known, is_new] = job.shared.lock_holders.try_emplace(window.identity);
  if (!is_new) return known->second;
  for (const Process* const process : job.processes)
    for (const Thread& thread : process->threads) add_locks(known->second, thread, window, process->rank);
  return known->second;
}

}  // namespace

bool is_passive(const Call& call) {
  const std::string& name = call.function->name;
  return name.find("lock") != std::string::npos || name.find("flush") != std::string::npos;
}

namespace {

/// The lock that the call asks for, or is under; libraries may ask for it with MPI_Win_unlock only.
bool is_under_exclusive(const Thread& thread, const Call& call) {
  for (const Call& lock : thread.calls) {
    const std::string& name = lock.function->name;
    if (!is_on(lock, *call.object) || name.find("_lock") == std::string::npos) continue;
    if (lock.has(page::has_peer) && call.has(page::has_peer) && lock.peer != call.peer) continue;
    return lock.has(page::exclusive);
  }
  return false;
}

}  // namespace

Awaited holders_of(const Job& job, const Thread& thread, const Call& call) {
  Awaited whom;
  if (call.object->identity == 0) return whom;
  const LockHolders& holders = find_holders(job, *call.object);
  const bool needs_all = is_under_exclusive(thread, call);
  const LockHolders::Locks& locks = needs_all ? holders.all : holders.exclusive;
  if (!call.has(page::has_peer)) {
    whom.add(locks.of_any);
    return whom;
  }
  if (const auto found = locks.of_target.find(call.peer); found != locks.of_target.end()) whom.add(found->second);
  if (needs_all) whom.add(holders.of_all);
  return whom;
}

}  // namespace cairn::where
