// SPDX-License-Identifier: BSD-3-Clause
// observed.hpp - what the tool itself observes of the program: calls and time of functions, the phase, the clock
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "cairn/functions.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/regions.hpp"
#include "shared/figure.hpp"
#include "timing_cost.hpp"

namespace policy {

using cairn::Function;
using Clock = std::chrono::steady_clock;

inline std::uint64_t nanoseconds_between(Clock::time_point from, Clock::time_point to) {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(to - from).count());
}

/// What one thread counts, of the functions that the policy names.
struct Thread {
  cairn::Regions::Thread regions;
  std::array<shared::Figure, cairn::function_count> calls{};
  std::array<shared::Figure, cairn::function_count> time_ns{};
  std::array<shared::Figure, cairn::function_count> untimed{};  // of calls
  TimingCost timing{};
  void thread_ended() { regions = {}; }
};

class Observed {
 public:
  Thread& mine() { return threads_.mine(); }
  cairn::Regions& regions() { return regions_; }

  /// After MPI_Init, which was then.
  void start(Clock::time_point started_at) {
    started_at_ = started_at;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  double elapsed_s() const { return 1e-9 * static_cast<double>(nanoseconds_between(started_at_, Clock::now())); }
  double calls(Function function) { return total(&Thread::calls, function); }
  /// Calls that were not timed count as long as the others on average.
  double time_s(Function function) {
    const double all = calls(function);
    const double timed = all - total(&Thread::untimed, function);
    return timed > 0 ? 1e-9 * total(&Thread::time_ns, function) * all / timed : 0;
  }
  /// What timing costs a call, and how many calls were timed.
  Differences timing() {
    Differences all;
    threads_.for_each([&](const Thread& thread) { all.add(thread.timing.differences()); });
    return all;
  }
  double timed_calls() {
    double sum = 0;
    for (std::size_t i = 0; i < cairn::function_count; ++i)
      if (const auto function = static_cast<Function>(i); total(&Thread::time_ns, function) > 0)
        sum += calls(function) - total(&Thread::untimed, function);
    return sum;
  }
  /// Of the calling thread.
  std::string phase() { return regions_.path(regions_.current(mine().regions)); }

  int rank = 0;
  int ranks = 1;

 private:
  double total(std::array<shared::Figure, cairn::function_count> Thread::*figures, Function function) {
    std::uint64_t sum = 0;
    threads_.for_each([&](const Thread& thread) { sum += (thread.*figures)[static_cast<std::size_t>(function)]; });
    return static_cast<double>(sum);
  }

  cairn::PerThread<Thread> threads_;
  cairn::Regions regions_;
  Clock::time_point started_at_;
};

/// Function::count for a name that this MPI lacks.
inline Function function_named(std::string_view name) {
  for (std::size_t i = 0; i < cairn::function_count; ++i)
    if (cairn::function_facts[i].name == name) return static_cast<Function>(i);
  return Function::count;
}

}  // namespace policy
