// SPDX-License-Identifier: BSD-3-Clause
// thread_slots.hpp - the service "cairn.thread_slots": pointers per thread that one load from the thread pointer finds
//
// Offered by Cairn itself to every tool; kit/per_thread.hpp uses it. Thread-local variables of a library that is loaded
// at run time are found by a call; these are part of what each thread has from its start.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn {

struct ThreadSlots {
  static constexpr const char* service = "cairn.thread_slots";
  static constexpr std::uint32_t version = 1;

  /// Returns the offset in bytes from a thread's thread pointer to a pointer that is the caller's from now on: null in
  /// every thread, also in those that start later, until the caller sets it. 0: none is left. Any thread.
  std::ptrdiff_t (*take)();

  /// The same of a pointer that is always null and that nobody sets.
  std::ptrdiff_t always_null;
};

}  // namespace cairn
