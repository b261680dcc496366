// SPDX-License-Identifier: BSD-3-Clause
// record.cc - the run's clock and its rate

#include "record.hpp"

#include <ctime>

namespace profile {

namespace {
std::uint64_t start_ticks = 0;
timespec start_time{};

/// The whole run is the calibration: the longer it took, the better the rate is known.
double seconds_per_tick() {
  timespec now{};
  std::uint64_t elapsed_ticks = 0;
  double elapsed = 0;
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
    elapsed_ticks = ticks_since_start();
    elapsed = static_cast<double>(now.tv_sec - start_time.tv_sec) +
              static_cast<double>(now.tv_nsec - start_time.tv_nsec) * 1e-9;
  } while (elapsed < 1e-3);
  return elapsed / static_cast<double>(elapsed_ticks);
}

}  // namespace

void start_clock() {
  clock_gettime(CLOCK_MONOTONIC, &start_time);
  start_ticks = ticks_now();
}

std::uint64_t ticks_since_start() { return ticks_now() - start_ticks; }

double ticks_to_seconds(std::uint64_t ticks) {
  static const double rate = seconds_per_tick();
  return static_cast<double>(ticks) * rate;
}

double ticks_to_seconds_so_far(std::uint64_t ticks) {
  static const double rate = seconds_per_tick();
  return static_cast<double>(ticks) * rate;
}

}  // namespace profile
