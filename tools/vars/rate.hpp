// SPDX-License-Identifier: BSD-3-Clause
// rate.hpp - which calls are read, so that reading costs no more of the run than the user allows. No MPI in here.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace vars {

/// Reads every n-th call on average, where n doubles while reading costs more than its budget, and halves while it
/// costs less than half of it. The distance varies at random, so that no function of a regular program is always left
/// out, and the first calls of each function are always read.
class Rate {
 public:
  /// One per thread.
  struct Thread {
    std::uint32_t countdown = 0;
    std::uint32_t random = 2463534242;
  };

  /// `percent` of the run's time; 0: every call, whatever it costs.
  explicit Rate(double percent) : share_(percent / 100) {}

  /// `calls`: how many the thread has made of the function, this one included.
  bool is_due(Thread& mine, std::uint64_t calls) const {
    if (share_ == 0 || calls <= always_read) return true;
    if (mine.countdown > 1) {
      --mine.countdown;
      return false;
    }
    mine.countdown = distance(mine, every_.load(std::memory_order_relaxed));
    return true;
  }

  /// After a call that was read: what all reading has cost so far, and how long the run is.
  void adapt(double cost, double elapsed) {
    const std::uint32_t every = every_.load(std::memory_order_relaxed);
    const double allowed = share_ * elapsed;
    if (share_ == 0) return;
    if (cost > allowed) every_.store(std::min(2 * every, widest), std::memory_order_relaxed);
    else if (2 * cost < allowed && every > 1) every_.store(every / 2, std::memory_order_relaxed);
  }

  std::uint32_t every() const { return every_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t always_read = 4;
  static constexpr std::uint32_t widest = 65536;

  /// `every` is a power of two. From 1 to 2 * every - 1: Marsaglia's xorshift, less the zero.
  static std::uint32_t distance(Thread& mine, std::uint32_t every) {
    mine.random ^= mine.random << 13U;
    mine.random ^= mine.random >> 17U;
    mine.random ^= mine.random << 5U;
    return std::max(1U, mine.random & (2 * every - 1));
  }

  double share_;
  std::atomic<std::uint32_t> every_{1};
};

}  // namespace vars
