// SPDX-License-Identifier: BSD-3-Clause
// clocks.hpp - the service "cairn.clocks": how the clocks of nodes compare
//
// Moments of processes on different nodes cannot be compared: each system's clock (kit/clock.hpp) starts when the
// system does, and runs a little faster or slower than others. As MPI starts, and again when a tool asks for it in its turn
// at the end, one process of each clock exchanges messages with one of another clock, in a tree of all clocks: half of
// the shortest way there and back is the error. No message is sent while the program runs.
//
//   if (const cairn::ClockComparison* start = clocks->at_start(); start != nullptr && start->clocks > 1)
//     common_ns = clock.nanoseconds_at(ticks) + start->offset_ns;
//
// Offered by Cairn itself to every tool.
#pragma once

#include <cstdint>

#include "cairn/tool.h"

namespace cairn {

/// Of this process's clock, CLOCK_MONOTONIC, with the reference: that of the first process that has Cairn.
struct ClockComparison {
  std::uint64_t clock = 0;      // the same number in processes that have the same clock
  std::uint64_t reference = 0;  // that of the reference
  std::int64_t clocks = 0;      // of the processes that have taken part
  std::int64_t at_ns = 0;       // when, on this process's clock
  std::int64_t offset_ns = 0;   // added to this process's moments, they are the reference's
  std::int64_t error_ns = 0;    // of the offset, at most; 0 where both have the same clock
  std::int64_t day_ns = 0;      // added to the reference's moments, they are the time of day there
};

struct Clocks {
  static constexpr const char* service = "cairn.clocks";
  static constexpr std::uint32_t version = 1;

  /// Null until MPI has started, and if the ranks could not meet.
  const ClockComparison* (*at_start)();

  /// Once more. Collective over the ranks that have this instance (services/job.hpp), in their turn.
  ClockComparison (*now)(const cairn_tool_instance* self);
};

}  // namespace cairn
