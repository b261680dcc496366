// SPDX-License-Identifier: BSD-3-Clause
// empty.cc - the smallest tool: every call of every MPI function goes through it and on down

#include <mpi.h>

#include "cairn/kit.hpp"

struct Empty {
  static constexpr std::string_view about = "does nothing, to every MPI function";
  explicit Empty(cairn::Self) {}

  template <cairn::Function F>
  auto on(cairn::Call<F>& call) {
    return call.proceed();
  }
};

CAIRN_TOOL(Empty)
