// SPDX-License-Identifier: BSD-3-Clause
// rate.hpp - which calls are read, so that reading costs no more of the run than the user allows. No MPI in here.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace vars {

/// Reading is paid out of the time that has passed: a call is read if that, at what a reading costs, stays within the
/// budget. Where it does not, so many calls are left alone as will have to pass until it does, at the pace of the
/// thread's calls. That number varies at random, so that no function of a regular program is always left out; the first
/// calls of each function come before their turn.
class Rate {
 public:
  /// One per thread.
  struct Thread {
    std::uint32_t countdown = 0;
    std::uint32_t distance = 1;  // calls between the last two looks at the budget
    double looked_at = 0;
    std::uint32_t random = 2463534242;
  };

  /// `percent` of the run's time; 0: every call, whatever it costs.
  explicit Rate(double percent) : share_(percent / 100) {}

  /// Whether it is time to look at the budget. `calls`: how many the thread has made of the function, this one
  /// included.
  bool is_due(Thread& mine, std::uint64_t calls) const {
    if (mine.countdown > 1 && calls > always_due && share_ != 0) {
      --mine.countdown;
      return false;
    }
    return true;
  }

  /// Whether there is the time for another reading, `now` seconds after the start, when all has cost so much.
  bool can_pay(Thread& mine, double cost, double now) {
    if (share_ == 0) return true;
    const double wanted = cost + one_.load(std::memory_order_relaxed);
    const bool is_there = wanted <= share_ * now;
    if (mine.countdown > 1) return is_there;  // it came before its turn
    if (is_there) {
      if (mine.distance == 1) every_.store(1, std::memory_order_relaxed);
      wait(mine, 1, now);
    } else {
      const double calls_per_s = mine.distance / std::max(now - mine.looked_at, 1e-9);
      const double calls = (wanted / share_ - now) * calls_per_s;
      const auto distance = static_cast<std::uint32_t>(std::clamp(calls, 2.0, widest));
      every_.store(distance, std::memory_order_relaxed);
      wait(mine, around(mine, distance), now);
    }
    return is_there;
  }

  /// Whether there is the time for something else that takes so long.
  bool has_time_for(double seconds, double cost, double now) const {
    return share_ == 0 || cost + seconds <= share_ * now;
  }

  /// What the last reading has cost. One thread at a time.
  void learn(double cost) {
    const double one = one_.load(std::memory_order_relaxed);
    one_.store(one + (cost - one) / 4, std::memory_order_relaxed);
  }

  /// Every so many calls are read at the moment.
  std::uint32_t every() const { return every_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t always_due = 4;
  static constexpr double widest = 65536;

  static void wait(Thread& mine, std::uint32_t calls, double now) {
    mine.countdown = mine.distance = calls;
    mine.looked_at = now;
  }

  /// From half of `distance` to one and a half: Marsaglia's xorshift.
  static std::uint32_t around(Thread& mine, std::uint32_t distance) {
    mine.random ^= mine.random << 13U;
    mine.random ^= mine.random >> 17U;
    mine.random ^= mine.random << 5U;
    return distance / 2 + 1 + mine.random % distance;
  }

  double share_;
  std::atomic<double> one_{5e-6};  // seconds that one reading costs
  std::atomic<std::uint32_t> every_{1};
};

}  // namespace vars
