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

struct Call {
  const void* caller;
  const void* frame;
};

[[gnu::noinline]] bool is_within(const Call& call) { return shared::is_within(call.caller, call.frame); }

[[gnu::noinline]] bool ask_within(Call& call) {
  call = {__builtin_return_address(0), __builtin_dwarf_cfa()};
  return is_within(call);
}

/// Of a call that has been left, whatever is called in its place.
[[gnu::noinline]] bool ask_from_below(const Call& left, int levels) {
  volatile char room[256];
  room[0] = levels > 0 ? static_cast<char>(ask_from_below(left, levels - 1)) : static_cast<char>(is_within(left));
  return room[0] != 0;
}

TEST(StackWalk, KnowsWhichCallIsAround) {
  Call call{};
  EXPECT_TRUE(ask_within(call));
  EXPECT_FALSE(is_within(call));
  EXPECT_FALSE(ask_from_below(call, 8));
}

}  // namespace
