// SPDX-License-Identifier: BSD-3-Clause
// figure.hpp - a number that one thread adds to and any may read meanwhile
#pragma once

#include <atomic>
#include <cstdint>

namespace shared {

/// a + b, or the greatest number there is.
constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

class Figure {
 public:
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }
  void operator+=(std::uint64_t more) { value_.store(saturating_sum(*this, more), std::memory_order_relaxed); }
  /// Where the sum cannot be beyond 2^64: of counts, of times.
  void add(std::uint64_t more) { value_.store(*this + more, std::memory_order_relaxed); }
  void operator++() { value_.store(*this + 1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

}  // namespace shared
