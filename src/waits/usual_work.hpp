// SPDX-License-Identifier: BSD-3-Clause
// usual_work.hpp - how long work takes that several ranks do
#pragma once

#include <cstdint>
#include <vector>

#include "waits/graph.hpp"

namespace cairn::waits {

/// Work before one place's calls is one thing. What it usually takes is the lower median of the ranks that do it, idle ones
/// (own_costs.hpp) left out: of the same time, where all do it equally often, else of all times.
class UsualWork {
 public:
  UsualWork(const Graph& graph, const std::vector<bool>& is_idle);

  /// Nanoseconds of the work before a call; 0: only one rank does it, it is all the same, or no rank is idle.
  std::int64_t before_ns(Index node) const { return before_.empty() ? 0 : before_[node]; }

 private:
  using Calls = std::vector<std::vector<Index>>;  // at one place, by rank
  void put(const Graph& graph, const Calls& by_rank);

  std::vector<std::int64_t> before_;  // by node
};

}  // namespace cairn::waits
