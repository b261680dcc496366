// SPDX-License-Identifier: BSD-3-Clause
// crashes.cc - a tool that does not get through its constructor; WAY says how: one of the functions below.
//
// AT_THE_END: the constructor ends with that, so that its own frame is gone. WITH_DESTRUCTOR: it has a destructor too,
// which relies on what the constructor did not get to.

#include <stdlib.h>

#include <cstring>
#include <stdexcept>

#define TOOL "crashes"
#include "counts.h"

namespace {

int* volatile nowhere = nullptr;
void (*volatile no_function)() = nullptr;
volatile int zero = 0;

[[maybe_unused]] void writes_to_null() { *nowhere = 1; }
[[maybe_unused]] void calls_null() { no_function(); }
[[maybe_unused]] void aborts() { abort(); }
[[maybe_unused]] void throws() { throw std::runtime_error("a reason of its own"); }
[[maybe_unused]] void throws_number() { throw 42; }
[[maybe_unused]] void divides_by_zero() { zero = 100 / zero; }
[[maybe_unused]] void traps() { __builtin_trap(); }
[[maybe_unused]] void fills_null() { std::memset(nowhere, 1, static_cast<std::size_t>(4096 + zero)); }

int fill(int depth) {
  volatile char room[1000];
  room[depth % 1000] = static_cast<char>(depth);
  return fill(depth + 1) + room[0];
}
[[maybe_unused]] void overflows_stack() { zero = fill(0); }

[[gnu::constructor]] void construct() {
  WAY();
#ifndef AT_THE_END
  nowhere = new int(1);
#endif
}

#ifdef WITH_DESTRUCTOR
[[gnu::destructor]] void destroy() { *nowhere = 2; }
#endif

}  // namespace

FUNCTIONS(COUNTING_WRAPPER)
REPORTING_FINALIZE
