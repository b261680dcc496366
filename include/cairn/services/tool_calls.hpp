// SPDX-License-Identifier: BSD-3-Clause
// tool_calls.hpp - the service "cairn.tool_calls": distinguishes calls that a tool makes for itself from the program's
//
// Offered by Cairn itself to every tool. kit/own_work.hpp is the C++ interface: a tool that makes calls of its own
// holds an OwnWork meanwhile, a tool that counts calls asks is_tools_call().
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn {

struct ToolCalls {
  static constexpr const char* service = "cairn.tool_calls";
  static constexpr std::uint32_t version = 1;

  /// Offset in bytes from a thread's thread pointer to an int that is non-zero while a tool makes calls of its own on
  /// the thread. A tool increments it before and decrements it afterwards.
  std::ptrdiff_t place;
};

}  // namespace cairn
