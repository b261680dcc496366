// SPDX-License-Identifier: BSD-3-Clause
// moment.hpp - what the calls of a job's ranks have come to at one moment
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "where/jobs.hpp"

namespace cairn::live {

struct RankTotals {
  std::uint64_t moment = 0;  // ticks of the rank's node
  std::uint64_t in_mpi = 0;  // ticks in calls, all threads together
  double seconds_per_tick = 0;
  int threads = 0;  // that have called MPI and not ended

  double mpi_seconds() const { return static_cast<double>(in_mpi) * seconds_per_tick; }
};

struct FunctionTotals {
  std::uint64_t calls = 0;
  double seconds = 0;
};

struct Moment {
  std::map<int, RankTotals> ranks;                                 // those with a page
  std::map<std::string, std::map<int, FunctionTotals>> functions;  // by rank
};

Moment moment_of(const where::JobPages& job);

}  // namespace cairn::live
