// SPDX-License-Identifier: BSD-3-Clause
// choices.hpp - calls that took the message that was there first, of several that they could have taken
//
// A replay keeps the order of the run: the same messages, one after the other. With a change others would be there first, and
// what a process then does, and whom it gives the next piece of work, would be different. That is not predicted; by how
// much the prediction may be too long is.
#pragma once

#include <cstdint>
#include <vector>

#include "waits/graph.hpp"
#include "waits/replay.hpp"

namespace cairn::waits {

class Choices {
 public:
  explicit Choices(const Graph& graph);

  bool are_none() const { return all_.empty(); }
  /// For how long a thread waits at most, in the replay's last run, for a message that came first in the run while one
  /// that it could take instead is there; and not more than if all ranks had the same work. Nanoseconds.
  std::int64_t earlier_ns(const Replay& replay, std::int64_t run_ns) const;

 private:
  /// In `group`, from the thread's call `from` on, the message could be taken; that it was with `call`.
  struct Choice {
    std::uint64_t group = 0;
    Index call = none;
    Index from = none;
    Index sent = none;
  };
  using Place = std::vector<Choice>::const_iterator;
  void add(Index node, const Link& link, bool is_any_of);
  /// visit(first, last) for each group.
  template <class Visit>
  void for_all_groups(Visit visit) const;
  static std::int64_t needless_ns(Place first, Place last, const Replay& replay);

  const Graph& graph_;
  std::vector<Choice> all_;  // by group, then call
};

}  // namespace cairn::waits
