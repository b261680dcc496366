// SPDX-License-Identifier: BSD-3-Clause
// registers.hpp - the registers with which a frame goes on after a signal; one source file per processor.
//
// Called in a signal handler.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cairn {

/// Registers that a function returns with as it was entered, by the numbers that unwinders use.
std::span<const int> callee_saved_registers();
inline constexpr std::size_t most_callee_saved_registers = 20;

/// What a frame expects when the function it called returns.
struct FrameRegisters {
  std::uintptr_t instruction = 0;
  std::uintptr_t stack = 0;
  std::array<std::uintptr_t, most_callee_saved_registers> callee_saved{};  // in the order of the list above
};

/// Has the program go on in that frame when the handler returns.
void resume_at(ucontext_t& context, const FrameRegisters& frame);

/// For a signal at the first instruction of a function: has it look as if the signal had come after the function's
/// return.
void return_at_once(ucontext_t& context);

/// The instruction at which the signal came.
std::uintptr_t interrupted_at(const ucontext_t& context);

/// The stack pointer there.
std::uintptr_t interrupted_stack(const ucontext_t& context);

}  // namespace cairn
