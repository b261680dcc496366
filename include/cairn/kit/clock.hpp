// SPDX-License-Identifier: BSD-3-Clause
// clock.hpp - cheap ticks, and their conversion to seconds on one clock for all processes of a node
//
//   cairn::Clock clock;                                  // in the tool: sets the first anchor
//   const std::uint64_t begin = cairn::ticks_now();      // in a handler
//   …
//   clock.anchor();                                      // before results are computed
//   clock.seconds(end - begin)                           // duration
//   clock.nanoseconds_at(begin)                          // moment on the system's clock: comparable within the node
//
// A processor's counter and the system's clock run at different rates, which no process knows exactly. Scaling
// the counter by a rate that each process measures by itself gives an error of uptime times the error of that rate.
// Instead, both are read together at the start and before times are needed ("anchors"), and moments are interpolated
// between two anchors. The error is that of the readings, about ten nanoseconds, however long the machine has been up.

#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace cairn {

/// Any clock of the system: CLOCK_REALTIME, CLOCK_THREAD_CPUTIME_ID. Those of processor time take a system call.
inline std::uint64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// The system's clock, the same in all processes of a node.
inline std::uint64_t nanoseconds_now() { return nanoseconds_of(CLOCK_MONOTONIC); }

/// The cheapest counter of the machine; Clock converts it.
inline std::uint64_t ticks_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return nanoseconds_now();
#endif
}

/// The same moment on both.
struct ClockAnchor {
  std::uint64_t ticks = 0;
  std::uint64_t nanoseconds = 0;

  /// The best of several tries: the one with the least time between its two readings of the counter.
  static ClockAnchor now() {
    constexpr int tries = 8;
    ClockAnchor best;
    std::uint64_t least = UINT64_MAX;
    for (int i = 0; i < tries; ++i) {
      const std::uint64_t before = ticks_now();
      const std::uint64_t nanoseconds = nanoseconds_now();
      const std::uint64_t took = ticks_now() - before;
      if (took >= least) continue;
      least = took;
      best = {before + took / 2, nanoseconds};
    }
    return best;
  }
};

/// One per process. Anchors may be set by one thread at a time; everything else can be used by any thread.
class Clock {
 public:
  Clock() : Clock(ClockAnchor::now()) {}
  explicit Clock(ClockAnchor first) : first_(first), last_(first) {}

  /// Earlier moments are interpolated between the first anchor and this one. Waits until they are a millisecond apart.
  void anchor() {
    do anchor(ClockAnchor::now());
    while (last_.nanoseconds - first_.nanoseconds < shortest);
  }
  void anchor(ClockAnchor last) { last_ = last; }

  /// On the system's clock.
  std::uint64_t nanoseconds_at(std::uint64_t ticks) const {
    const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - first_.ticks));
    return first_.nanoseconds + static_cast<std::uint64_t>(static_cast<std::int64_t>(since * nanoseconds_per_tick()));
  }
  double seconds(std::uint64_t ticks) const { return static_cast<double>(ticks) * seconds_per_tick(); }
  double seconds_per_tick() const { return 1e-9 * nanoseconds_per_tick(); }
  std::uint64_t started_ticks() const { return first_.ticks; }
  /// Of the latest anchor.
  std::uint64_t ended_ticks() const { return last_.ticks; }
  std::uint64_t started_nanoseconds() const { return first_.nanoseconds; }

 private:
  static constexpr std::uint64_t shortest = 1'000'000;

  /// 0 until there is a second anchor.
  double nanoseconds_per_tick() const {
    const std::uint64_t ticks = last_.ticks - first_.ticks;
    return ticks == 0 ? 0 : static_cast<double>(last_.nanoseconds - first_.nanoseconds) / static_cast<double>(ticks);
  }

  ClockAnchor first_;
  ClockAnchor last_;
};

}  // namespace cairn
