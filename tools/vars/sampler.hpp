// SPDX-License-Identifier: BSD-3-Clause
// sampler.hpp - when variables are sampled, and what has been sampled of each
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "cairn/kit/clock.hpp"
#include "series.hpp"
#include "shared/figure.hpp"
#include "sources.hpp"

namespace vars {

/// What was sampled of one variable.
struct Sampled {
  Spread values;
  double last = 0;
  Series series;
};

class Sampler {
 public:
  /// `budget`: percent of the run that sampling may cost, 0 for any.
  Sampler(double interval_s, bool keeps_series, double budget)
      : interval_s_(interval_s),
        interval_ns_(static_cast<std::uint64_t>(1e9 * interval_s)),
        keeps_series_(keeps_series) {
    if (budget > 0) patience_ = 100 / budget;
  }

  double interval_s() const { return interval_s_; }
  bool is_on() const { return interval_ns_ != 0; }
  /// Whether anything was sampled, also without an interval.
  bool has_any() const { return times() != 0; }

  /// On any thread: whether the interval is over. True for one of those that ask at once. The coarse clock costs
  /// a few ns and is good to some ms.
  bool is_due() {
    if (!is_on()) return false;
    const std::uint64_t now = coarse_now();
    std::uint64_t due = due_.load(std::memory_order_relaxed);
    return now >= due && due_.compare_exchange_strong(due, now + interval_ns_, std::memory_order_relaxed);
  }
  /// It could not be done: the next that asks may.
  void put_off() { due_.store(0, std::memory_order_relaxed); }

  // One thread at a time.

  /// After the variables were read, at `time` on the node's clock, which took `cost` seconds. Where that is more than
  /// the budget, the next time is later.
  void add(double time, double cost, const std::vector<Variable>& variables) {
    for (std::size_t i = sampled_.size(); i < variables.size(); ++i)
      sampled_.push_back({{}, 0, Series(keeps_series_ ? first_step() : 0)});
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].present_handles == 0) continue;
      const double value = variables[i].present;
      sampled_[i].values.add(value);
      sampled_[i].last = value;
      sampled_[i].series.add(time, value);
    }
    ++times_;
    cost_s_.store(cost_s_.load(std::memory_order_relaxed) + cost, std::memory_order_relaxed);
    const double pause = cost * patience_;
    if (pause > interval_s_)
      due_.store(coarse_now() + static_cast<std::uint64_t>(1e9 * pause), std::memory_order_relaxed);
  }

  const std::vector<Sampled>& sampled() const { return sampled_; }

  // On any thread.
  std::uint64_t times() const { return times_; }
  double cost_s() const { return cost_s_.load(std::memory_order_relaxed); }

 private:
  /// Without an interval, samples come when the program wants them.
  double first_step() const { return is_on() ? interval_s_ : 1e-3; }

  static std::uint64_t coarse_now() { return cairn::nanoseconds_of(CLOCK_MONOTONIC_COARSE); }

  double interval_s_;
  std::uint64_t interval_ns_;
  bool keeps_series_;
  double patience_ = 0;
  std::atomic<std::uint64_t> due_{0};
  std::vector<Sampled> sampled_;  // by variable
  shared::Figure times_;
  std::atomic<double> cost_s_{0};
};

}  // namespace vars
