// SPDX-License-Identifier: BSD-3-Clause
// tally.cc - a tool as an outside author writes one: counts the messages and what they are sent to.

#include <mpi.h>

#include <cstdio>

#include "cairn/functions.hpp"
#include "cairn/tool.h"

namespace {
unsigned long sends = 0;
unsigned long calls = 0;
const cairn_tool_instance* self = nullptr;
}  // namespace

template <cairn::Function F>
struct Handler {
  template <class Down, class Arguments>
  static auto call(Down down, const Arguments& arguments) {
    ++calls;
    if constexpr (cairn::facts(F).category == cairn::Category::point_to_point && cairn::has<F>(cairn::Role::dest))
      sends += cairn::argument<F, cairn::Role::dest>(arguments) != MPI_PROC_NULL ? 1 : 0;
    if constexpr (F == cairn::Function::MPI_Finalize_)
      std::fprintf(stderr, "tally %u at level %u: %lu sends, %lu calls\n", self->instance, self->level, sends, calls);
    return down();
  }
};

#include "cairn/wrap_all.hpp"

int cairn_tool_start(const cairn_tool_instance* instance) {
  self = instance;
  return 0;
}

const char cairn_tool_about[] = "abi 1\nsummary counts messages\n";
