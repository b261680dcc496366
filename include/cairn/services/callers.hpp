// SPDX-License-Identifier: BSD-3-Clause
// callers.hpp - the service "cairn.callers": tells whose code an address is
//
// Offered by Cairn itself to every tool. Any thread, at any time. A query takes some hundred nanoseconds, so ask once
// per address and cache the answer.
#pragma once

#include <cstdint>

namespace cairn {

enum class CallerKind : std::uint32_t {
  other,    // the MPI library, its language bindings (Fortran, C++), and anything that is not code
  program,  // the program and its own libraries
  layer,    // a tool of the stack, or a module that Cairn adds
};

struct Callers {
  static constexpr const char* service = "cairn.callers";
  static constexpr std::uint32_t version = 2;

  CallerKind (*kind)(const void* address);

  bool is_program(const void* address) const { return kind(address) == CallerKind::program; }
};

}  // namespace cairn
