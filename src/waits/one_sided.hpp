// SPDX-License-Identifier: BSD-3-Clause
// one_sided.hpp - what a process tells others, and is told, by the synchronization of its windows
//
// Epochs of one process with another one on a window follow each other in order, so both sides number them alike.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/format.hpp"
#include "waits/records.hpp"

namespace cairn::waits {

class OneSided {
 public:
  explicit OneSided(RankRecords& records) : records_(records) {}

  /// A call that has succeeded, by its place in the records; `comm` is its window's, `world` its target's rank in the
  /// world (-1: none, or unknown).
  void call(const std::string& function, const trace::Record& call, Index comm, std::int32_t world, Index now);
  /// One of the group that the last call has named, by its rank in the world.
  void partner(const std::string& function, int world, Index comm, Index now);
  /// Calls have other places now.
  template <class Renumber>
  void renumber(Renumber each) {
    for (auto& [target, held] : held_) each(held.begin), each(held.had);
  }

 private:
  struct Target {
    int world = 0;
    bool is_accessed = false;
  };
  struct Window {
    std::vector<int> exposed_to;
    std::vector<Target> targets;
  };
  struct Held {
    Index begin = none;
    bool is_exclusive = false;
    bool has_accessed = false;
    Index had = none;
  };
  enum What : std::int32_t { post_for_start, post_for_access, post_for_complete, completed };

  void accessed(Index comm, std::int32_t target, std::int32_t world, Index now);
  void flushed(Index comm, std::int32_t target, Index now);
  void tell(What what, Signal signal, int world, Index comm, Index now) { add(what, signal, world, comm, now, true); }
  void hear(What what, Signal signal, int world, Index comm, Index now) { add(what, signal, world, comm, now, false); }
  void skip(What what, int world, Index comm) { ++counts_[{comm, world, what, false}]; }
  void add(What what, Signal signal, int world, Index comm, Index now, bool is_sender);

  RankRecords& records_;
  std::map<Index, Window> windows_;                                     // by communicator
  std::map<std::pair<Index, std::int32_t>, Held> held_;                 // and target
  std::map<std::tuple<Index, int, What, bool>, std::uint64_t> counts_;  // and what was told
};

}  // namespace cairn::waits
