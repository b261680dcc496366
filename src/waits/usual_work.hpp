// SPDX-License-Identifier: BSD-3-Clause
// usual_work.hpp - how long work takes that several ranks do, and which ranks have hardly any
#pragma once

#include <cstdint>
#include <vector>

#include "waits/graph.hpp"

namespace cairn::waits {

/// Work before one place's calls is one thing. What it usually takes is the lower median of the ranks that do it: of that
/// time (their last one, last but one, ...) where all do it equally often, else of all times.
class UsualWork {
 public:
  /// `work_ns`: of each process, that of its busiest thread; negative: it has no records.
  UsualWork(const Graph& graph, const std::vector<double>& work_ns);

  /// It has less than an eighth of the work of a mean one, as one that hands out work to others or collects their results.
  bool is_idle(int rank) const { return is_idle_[static_cast<std::size_t>(rank)]; }
  /// Nanoseconds of the work before a call; 0: only one rank does it, it is all the same, or no rank is idle.
  std::int64_t before_ns(Index node) const { return before_.empty() ? 0 : before_[node]; }

 private:
  using Calls = std::vector<std::vector<Index>>;  // at one place, by rank
  void put(const Graph& graph, const Calls& by_rank);

  std::vector<bool> is_idle_;
  std::vector<std::int64_t> before_;  // by node
};

}  // namespace cairn::waits
