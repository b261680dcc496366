// SPDX-License-Identifier: BSD-3-Clause
// callers.hpp - the service "cairn.callers": whose code an address is (a tool's, the MPI library's, the program's)
//
// Of Cairn itself, so it is there for every tool. Any thread, at any time; takes some hundred nanoseconds, so a tool
// asks once per address and remembers.
#pragma once

#include <cstdint>

namespace cairn {

struct Callers {
  static constexpr const char* service = "cairn.callers";
  static constexpr std::uint32_t version = 1;

  /// 1 for code of the program and its own libraries; 0 for a layer of the stack, the MPI library and its language
  /// bindings (Fortran, C++), and for what is no code at all.
  int (*is_program)(const void* address);
};

}  // namespace cairn
