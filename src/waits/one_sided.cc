// SPDX-License-Identifier: BSD-3-Clause
// one_sided.cc - posts, completions and locks, from calls

#include "waits/one_sided.hpp"

#include <algorithm>
#include <utility>

#include "trace/flows.hpp"

namespace cairn::waits {

void OneSided::call(const std::string& function, const trace::Record& call, Index comm, std::int32_t world, Index now) {
  if (comm == 0) return;
  const std::int32_t target = (call.flags & page::has_peer) != 0 ? call.peer : -1;
  if (!function.starts_with("MPI_Win_")) {
    accessed(comm, target, world, now);
  } else if (function == "MPI_Win_flush" || function == "MPI_Win_flush_all") {
    flushed(comm, target, now);
  } else if (function == "MPI_Win_lock" || function == "MPI_Win_lock_all") {
    held_[{comm, target}] = {now, (call.flags & page::exclusive) != 0, false, none};
  } else if (function == "MPI_Win_unlock" || function == "MPI_Win_unlock_all") {
    if (const auto held = held_.find({comm, target}); held != held_.end()) {
      const Held& of = held->second;
      records_.locks.push_back({comm, target, of.is_exclusive, of.begin, now, of.had == none ? now : of.had});
      held_.erase(held);
    }
  } else if (function == "MPI_Win_complete") {
    for (const Target& one : std::exchange(windows_[comm].targets, {})) {
      if (!one.is_accessed) skip(post_for_access, one.world, comm);
      hear(post_for_complete, Signal::post, one.world, comm, now);
      tell(completed, Signal::complete, one.world, comm, now);
    }
  } else if (function == "MPI_Win_wait" || function == "MPI_Win_test") {
    for (const int origin : std::exchange(windows_[comm].exposed_to, {}))
      hear(completed, Signal::complete, origin, comm, now);
  }
}

/// The first one of an epoch may wait for its target.
void OneSided::accessed(Index comm, std::int32_t target, std::int32_t world, Index now) {
  if (const auto held = held_.find({comm, target}); held != held_.end()) held->second.has_accessed = true;
  const auto window = windows_.find(comm);
  if (window == windows_.end()) return;
  const auto of = std::ranges::find(window->second.targets, world, &Target::world);
  if (of == window->second.targets.end() || std::exchange(of->is_accessed, true)) return;
  hear(post_for_access, Signal::post, world, comm, now);
}

/// An access to all targets' lock tells nothing of the others.
void OneSided::flushed(Index comm, std::int32_t target, Index now) {
  for (auto held = held_.lower_bound({comm, 0}); held != held_.end() && held->first.first == comm; ++held)
    if ((target < 0 || held->first.second == target) && held->second.has_accessed && held->second.had == none)
      held->second.had = now;
}

void OneSided::partner(const std::string& function, int world, Index comm, Index now) {
  if (comm == 0 || world < 0) return;
  if (function == "MPI_Win_post") {
    windows_[comm].exposed_to.push_back(world);
    tell(post_for_start, Signal::post, world, comm, now);
    tell(post_for_access, Signal::post, world, comm, now);
    tell(post_for_complete, Signal::post, world, comm, now);
  } else if (function == "MPI_Win_start") {
    windows_[comm].targets.push_back({world});
    hear(post_for_start, Signal::post, world, comm, now);
  }
}

void OneSided::add(What what, Signal signal, int world, Index comm, Index now, bool is_sender) {
  const std::uint64_t identity = records_.comms[comm].identity;
  if (identity == 0) return;
  const std::uint64_t count = ++counts_[{comm, world, what, is_sender}];
  MessageEnd& end = records_.messages.emplace_back();
  end.flow =
      trace::flow_of(identity, is_sender ? records_.rank : world, is_sender ? world : records_.rank, what, count);
  end.comm = comm;
  end.begin = now;
  if (!is_sender || signal == Signal::complete) end.end = now;  // which its target's library may have to take
  end.is_sender = is_sender;
  end.signal = signal;
}

}  // namespace cairn::waits
