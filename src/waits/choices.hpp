// SPDX-License-Identifier: BSD-3-Clause
// choices.hpp - calls that took what was there first, of several that they could have taken
//
// A replay keeps the order of the run: the same messages, one after the other. With a change others would be there first, and
// what a process then does, and whom it gives the next piece of work, would be different. That is not predicted; by how
// much the prediction may be too long is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "waits/graph.hpp"
#include "waits/replay.hpp"
#include "waits/states.hpp"

namespace cairn::waits {

class Choices {
 public:
  Choices(const Graph& graph, const Waits& waits);

  /// For how long a thread waits in the replay's last run for what came first in the run, while something else that it could
  /// take is there: of the thread with most of it; and not more than if all ranks had the same work. Nanoseconds.
  std::int64_t earlier_ns(const Replay& replay, std::int64_t run_ns) const;

 private:
  /// It was taken by `call`, and could be from the thread's call `from` on. It is there once the other side has entered `other`.
  struct Choice {
    Index call = none;
    Index from = none;
    Index other = none;
    std::uint32_t group = 0;  // of the thread's: what else could be taken
  };
  using Group = std::span<const Choice>;
  void add(Index node, const Ended& one, const Waits& waits, bool is_any_of);
  Index lane(const Choice& one) const { return graph_.nodes[one.call].lane; }
  static std::int64_t needless_of_requests_ns(Group group, const Replay& replay);
  static std::int64_t needless_ns(Group group, const Replay& replay);

  const Graph& graph_;
  std::vector<Choice> all_;  // by thread, group, call
};

}  // namespace cairn::waits
