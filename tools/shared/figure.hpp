// SPDX-License-Identifier: BSD-3-Clause
// figure.hpp - a number that one thread adds to and any may read meanwhile
#pragma once

#include <cstdint>

namespace shared {

/// a + b, or the greatest number there is.
constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/// A word that is written whole. Its thread writes it by ordinary additions, one instruction each; as atomic ones they
/// would be three.
class Figure {
 public:
  operator std::uint64_t() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
  void operator+=(std::uint64_t more) { value_ = saturating_sum(value_, more); }
  /// Where the sum cannot be beyond 2^64: of counts, of times.
  void add(std::uint64_t more) { value_ += more; }
  void operator++() { ++value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace shared
