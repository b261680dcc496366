// SPDX-License-Identifier: BSD-3-Clause
// futex.hpp - waiting for a number to change, which signal handlers may do too
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace cairn {

using Futex = std::atomic<std::uint32_t>;
static_assert(sizeof(Futex) == sizeof(std::uint32_t) && Futex::is_always_lock_free);

inline void wake(Futex& word) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0); }

/// Until it is `before` no longer; false if that takes more than so many ms. 0: no limit.
inline bool wait_while(Futex& word, std::uint32_t before, long limit_ms) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long long end_ns = (now.tv_sec * 1000LL + limit_ms) * 1'000'000 + now.tv_nsec;
  while (word.load(std::memory_order_acquire) == before) {
    timespec left{};
    if (limit_ms != 0) {
      clock_gettime(CLOCK_MONOTONIC, &now);
      const long long left_ns = end_ns - now.tv_sec * 1'000'000'000LL - now.tv_nsec;
      if (left_ns <= 0) return false;
      left = {static_cast<time_t>(left_ns / 1'000'000'000), static_cast<long>(left_ns % 1'000'000'000)};
    }
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, before, limit_ms != 0 ? &left : nullptr, nullptr, 0);
  }
  return true;
}

}  // namespace cairn
