// SPDX-License-Identifier: BSD-3-Clause
// tool_calls.hpp - the service "cairn.tool_calls": which calls of a thread a tool makes for itself, not for the program
//
// Of Cairn itself, so it is there for every tool. The kit uses it (cairn/kit/own_work.hpp): who makes calls of its own
// has an OwnWork meanwhile, who counts calls asks is_tools_call().
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn {

struct ToolCalls {
  static constexpr const char* service = "cairn.tool_calls";
  static constexpr std::uint32_t version = 1;

  /// Where each thread has an int, in bytes from its thread pointer: not 0 while a tool works for itself on the thread.
  /// A tool that begins to adds 1 to it, and takes it off at the end.
  std::ptrdiff_t place;
};

}  // namespace cairn
