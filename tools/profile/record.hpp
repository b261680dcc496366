// SPDX-License-Identifier: BSD-3-Clause
// record.hpp - what the handler writes: one table per thread, a row per function, no locks and no allocation per call.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <ctime>
#endif

#include "cairn/functions.hpp"

namespace profile {

/// A figure that one thread adds to, and any may read meanwhile.
class Figure {
 public:
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }
  void operator+=(std::uint64_t more) { value_.store(*this + more, std::memory_order_relaxed); }
  void operator++() { *this += 1; }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

struct Row {
  Figure calls;
  Figure ticks;
  Figure bytes;
};

/// A row per function of this MPI.
using Rows = std::array<Row, cairn::function_count>;

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

/// The clock of the run starts.
void start_clock();

/// Ticks since start_clock().
std::uint64_t ticks_since_start();

double ticks_to_seconds(std::uint64_t ticks);

/// The same while the program runs: the rate is measured at the first use, and not as well, but then stays, so that
/// what grows in ticks grows in seconds too.
double ticks_to_seconds_so_far(std::uint64_t ticks);

}  // namespace profile
