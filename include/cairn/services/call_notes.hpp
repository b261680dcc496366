// SPDX-License-Identifier: BSD-3-Clause
// call_notes.hpp - the service "cairn.call_notes": what the tools of a stack need not find out again in one call
//
// Several tools that ask where a call comes from, and look at the clock before and after it, would each do so. Instead
// the outermost leaves a note for those below. kit/noted_call.hpp is the C++ interface.
// Offered by Cairn itself to every tool.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cairn/tool.h"

namespace cairn {

/// Of the call that a thread is in.
struct CallNote {
  const void* site;     // return address in the program; null: unknown
  const void* frame;    // the program's stack pointer before the call
  std::uint64_t begin;  // ticks (kit/clock.hpp)
  std::uint64_t end;    // as the innermost tool of the group has read it; 0: not yet
  int group;            // of the tools that `begin` and `end` are for, from 1; 0: there is no call
  std::uint64_t number;
};

/// One per thread.
struct ThreadNotes {
  CallNote note;
  std::uint64_t numbers;  // given to notes so far
};

struct CallNotes {
  static constexpr const char* service = "cairn.call_notes";
  static constexpr std::uint32_t version = 1;

  /// Offset in bytes from a thread's thread pointer to its ThreadNotes.
  std::ptrdiff_t place;
  /// In cairn_tool_start. Returns the tool's group: tools with none between them but those that have joined or passed.
  /// Other tools between them may take time, so only tools of one group share readings of the clock.
  int (*join)(const cairn_tool_instance* self);
  /// Instead of it, for a tool that takes no time in calls and reads no notes.
  void (*pass)(const cairn_tool_instance* self);
  /// How many have joined: if it is only one, nobody reads its notes. Final at the program's first call.
  const std::atomic<int>* tools;
};

}  // namespace cairn
