// SPDX-License-Identifier: BSD-3-Clause
// stack_walk_test.cc - what is known of return addresses stays known, whichever others there are.

#include "shared/stack_walk.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

int asked = 0;  // whose code an address is: once for each that is not known

constexpr cairn::Callers nobodys{[](const void* /*address*/) {
  ++asked;
  return cairn::CallerKind::other;
}};

/// As many frames, each with a return address of its own.
template <int depth, int chain>
[[gnu::noinline]] int walk_below(shared::StackWalk& walk) {
  if constexpr (depth == 0) {
    const void* caller = __builtin_return_address(0);
    const void* frame = __builtin_dwarf_cfa();
    return walk.find_caller(&nobodys, caller, frame) ? 1 : 0;
  } else {
    return walk_below<depth - 1, chain>(walk) + 1;
  }
}

int walk_all(shared::StackWalk& walk) {
  return walk_below<48, 0>(walk) + walk_below<48, 1>(walk) + walk_below<48, 2>(walk);
}

/// Some of 150 addresses share a place of 1,024, wherever the system has put the program.
TEST(StackWalk, AddressesThatShareAPlaceAreBothKnown) {
  shared::StackWalk walk;
  std::array<int, 2> asked_in{};
  for (int& in_round : asked_in) {
    asked = 0;
    EXPECT_EQ(walk_all(walk), 3 * 48);
    in_round = asked;
  }
  EXPECT_GT(asked_in[0], 100);
  EXPECT_EQ(asked_in[1], 0);
}

}  // namespace
