// SPDX-License-Identifier: BSD-3-Clause
// stack_walk.hpp - who called: return addresses on the stack, found without unwinding most of the time
//
// Compiled code needs no frame pointers, so the way from a function's frame to its caller's is in its unwind tables,
// and reading these takes a microsecond. But how large a frame is follows from the return address in it, as long as the
// function does not allocate on the stack by need. So the first walks over an address are made with the tables, what
// they find is remembered per address and compared a few times; after that a step costs two loads. Functions whose
// frame is found to vary are always unwound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cairn/services/callers.hpp"

namespace shared {

inline constexpr std::size_t deepest = 16;

/// Return addresses, the innermost first.
struct Chain {
  std::array<const void*, deepest> addresses{};
  std::size_t length = 0;
};

/// Whether the code that asks is within a call, `caller` and `frame` as Call has them: false where that was left by a
/// jump. True, too, where the stack cannot be followed that far. With the unwind tables: takes microseconds.
bool is_within(const void* caller, const void* frame);

/// One per thread.
class StackWalk {
 public:
  /// Those callers of a wrapper that are code of the program, at most `depth`. `caller` and `frame` as Call has them.
  Chain walk(const cairn::Callers* callers, const void* caller, const void* frame, std::size_t depth);

  /// The innermost of them: sets both to what they are there; false, and no change, if there is none.
  bool find_caller(const cairn::Callers* callers, const void*& caller, const void*& frame);

 private:
  struct Step {
    const void* address = nullptr;
    std::uint32_t frame_size = 0;
    std::uint32_t return_at = 0;  // above the frame's lower end
    std::uint32_t uses = 0;
    bool known = false;
    bool varies = false;
    bool program = false;
  };
  struct Position {
    const void* address;
    const char* frame;
  };

  Step& step_of(const cairn::Callers* callers, const void* address);
  static Step& begin(Step& step, const cairn::Callers* callers, const void* address);
  bool find_program(const cairn::Callers* callers, Position& position, int& steps);
  bool ascend(Step& step, Position& position);
  bool learn(Step& step, Position& position);

  static constexpr std::size_t step_count = 1024;
  static constexpr std::size_t neighbors = 8;  // places that one address may have
  static constexpr int far_enough = 64;        // frames
  std::unique_ptr<Step[]> steps_;              // made at the first walk
};

}  // namespace shared
