// SPDX-License-Identifier: BSD-3-Clause
// timing_cost.hpp - what timing calls costs a program, measured by leaving it out now and then
//
// Now and then two windows of equally many calls of a thread follow each other, one with timing and one without, each
// first in turn. Their difference is what timing costs; what the program does in between adds to the scatter. Calls
// that are not timed count as long as the others on average (observed.hpp).
#pragma once

#include <chrono>
#include <cstdint>

namespace policy {

/// Running mean of differences, and the sum of squared deviations from it.
struct Differences {
  std::uint64_t count = 0;
  double mean = 0;  // nanoseconds per call
  double squares = 0;

  void add(double difference) { add({1, difference, 0}); }
  void add(const Differences& other) {
    if (other.count == 0) return;
    const auto all = static_cast<double>(count + other.count);
    const double apart = other.mean - mean;
    squares += other.squares + apart * apart * static_cast<double>(count) * static_cast<double>(other.count) / all;
    mean += apart * static_cast<double>(other.count) / all;
    count += other.count;
  }
  static void members(auto& archive, auto& all) { archive(all.count, all.mean, all.squares); }
};

/// One thread's.
class TimingCost {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t window = 64;   // calls
  static constexpr std::uint32_t apart = 2048;  // calls between two pairs of windows, all timed

  /// At each call that a rule wants timed. False: not this one.
  bool next_is_timed() {
    if (--left_ != 0) [[likely]]
      return is_timed_;
    return turn(Clock::now());
  }
  /// A rule was looked at, which costs time too: this pair of windows does not count.
  void looked() { is_spoiled_ = true; }

  const Differences& differences() const { return differences_; }

  /// The window has ended. Whether the next call is timed.
  bool turn(Clock::time_point now) {
    if (phase_ == Phase::first) {
      first_ = now - began_;
      is_timed_ = !is_timed_;
      phase_ = Phase::second;
    } else if (phase_ == Phase::second) {
      end_pair(now - began_);
      phase_ = Phase::between;
      is_timed_ = true;
    } else {
      is_timed_ = is_timed_first_;
      is_spoiled_ = false;
      phase_ = Phase::first;
    }
    left_ = phase_ == Phase::between ? apart : window;
    began_ = now;
    return is_timed_;
  }

 private:
  enum class Phase { between, first, second };

  void end_pair(Clock::duration second) {
    const std::chrono::duration<double, std::nano> more = is_timed_first_ ? first_ - second : second - first_;
    if (!is_spoiled_) differences_.add(more.count() / window);
    is_timed_first_ = !is_timed_first_;
  }

  std::uint32_t left_ = apart;
  bool is_timed_ = true;
  bool is_timed_first_ = false;
  bool is_spoiled_ = false;
  Phase phase_ = Phase::between;
  Clock::time_point began_;
  Clock::duration first_{};
  Differences differences_;
};

}  // namespace policy
