// SPDX-License-Identifier: BSD-3-Clause
// callers.hpp - the service "cairn.callers": tells whether an address is code of the program
//
// Offered by Cairn itself to every tool. Any thread, at any time. A query takes some hundred nanoseconds, so ask once
// per address and cache the answer.
#pragma once

#include <cstdint>

namespace cairn {

struct Callers {
  static constexpr const char* service = "cairn.callers";
  static constexpr std::uint32_t version = 1;

  /// 1 for code of the program and its own libraries; 0 for a layer of the stack, the MPI library, its language
  /// bindings (Fortran, C++), and anything that is not code.
  int (*is_program)(const void* address);
};

}  // namespace cairn
