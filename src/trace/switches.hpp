// SPDX-License-Identifier: BSD-3-Clause
// switches.hpp - when something was switched on and off: noted on any thread without a lock, read by the one that takes
// records out of the rings
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "cairn/kit/clock.hpp"

namespace cairn::trace {

class Switches {
 public:
  explicit Switches(bool is_on) : noted_(is_on ? 1 : 0), seen_{{0, is_on}} {}

  /// On any thread; of calls that begin from now on.
  void switch_to(bool is_on) {
    std::uint64_t now = noted_.load();
    do
      if ((now & 1U) == static_cast<std::uint64_t>(is_on)) return;
    while (!noted_.compare_exchange_weak(now, (now + 2) ^ 1U));
    const std::uint64_t number = now >> 1U;
    notes_[number % notes_.size()].store(cairn::ticks_now() << 1U | static_cast<std::uint64_t>(is_on),
                                         std::memory_order_release);
  }
  bool is_on() const { return (noted_.load() & 1U) != 0; }

  // On the thread that reads.

  /// Takes what was noted so far. Of more than there is room for, the first are lost.
  void refresh() {
    const std::uint64_t noted = noted_.load(std::memory_order_acquire) >> 1U;
    if (noted > taken_ + notes_.size()) {
      lost_ += noted - notes_.size() - taken_;
      taken_ = noted - notes_.size();
    }
    for (; taken_ < noted; ++taken_) {
      const std::uint64_t note = notes_[taken_ % notes_.size()].exchange(0, std::memory_order_acq_rel);
      if (note == 0) return;  // just being noted
      if (seen_.size() == most_seen) seen_.erase(seen_.begin(), seen_.begin() + most_seen / 2);
      seen_.push_back({std::max(note >> 1U, seen_.back().ticks), (note & 1U) != 0});
    }
  }
  bool was_on(std::uint64_t ticks) const {
    const auto after = std::ranges::upper_bound(seen_, ticks, {}, &Switch::ticks);
    return after == seen_.begin() ? seen_.front().is_on : (after - 1)->is_on;
  }
  /// That there was no room for.
  std::uint64_t lost() const { return lost_; }
  bool has_changed() const { return seen_.size() > 1; }

 private:
  struct Switch {
    std::uint64_t ticks;
    bool is_on;
  };
  static constexpr std::size_t most_seen = 1U << 16U;

  std::atomic<std::uint64_t> noted_;  // twice how many; the lowest bit: on
  std::array<std::atomic<std::uint64_t>, 1U << 14U> notes_{};
  std::uint64_t taken_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<Switch> seen_;  // the newest last
};

}  // namespace cairn::trace
