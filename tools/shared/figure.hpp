// SPDX-License-Identifier: BSD-3-Clause
// figure.hpp - a number that one thread increases while others may read it
#pragma once

#include <cstdint>

namespace shared {

/// a + b, or the largest number if that overflows.
constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/// A word, so that readers never see half of a write. Its thread uses ordinary additions, one instruction each; atomic
/// ones would be three.
class Figure {
 public:
  operator std::uint64_t() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
  void operator+=(std::uint64_t more) { value_ = saturating_sum(value_, more); }
  /// For sums that cannot exceed 2^64: of counts, of times.
  void add(std::uint64_t more) { value_ += more; }
  void operator++() { ++value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace shared
