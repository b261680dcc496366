// SPDX-License-Identifier: BSD-3-Clause
// record.hpp - what the wrappers write: one table per thread, a row per function, no locks and no allocation per call.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <ctime>
#endif

namespace profile {

struct Row {
  std::uint64_t calls;
  std::uint64_t ticks;
  std::uint64_t bytes;
};

/// A clock as cheap as the machine has one; ticks_to_seconds() knows its rate.
inline std::uint64_t ticks_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

/// The calling thread's table, `functions` rows long; made at the thread's first call. Never fails: when memory is out,
/// threads share one spare table and their counts may suffer.
Row* thread_rows();

/// Before everything else: `functions` is the length of every table.
void start_recording(std::size_t functions);

/// Adds up all threads' tables. Call it when the threads that call MPI are done.
void sum_rows(Row* out);

/// Ticks since the first MPI call.
std::uint64_t ticks_since_start();

double ticks_to_seconds(std::uint64_t ticks);

}  // namespace profile
