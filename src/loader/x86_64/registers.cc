// SPDX-License-Identifier: BSD-3-Clause
// registers.cc - a frame's registers on x86-64: rbx, rbp, r12 to r15.

#include "loader/registers.hpp"

namespace cairn {

namespace {

constexpr std::array callee_saved = {3 /* rbx */, 6 /* rbp */, 12, 13, 14, 15};
constexpr std::array places = {REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15};

}  // namespace

std::span<const int> callee_saved_registers() { return callee_saved; }

void resume_at(ucontext_t& context, const FrameRegisters& frame) {
  greg_t* registers = context.uc_mcontext.gregs;
  for (std::size_t i = 0; i < places.size(); ++i) registers[places[i]] = static_cast<greg_t>(frame.callee_saved[i]);
  registers[REG_RSP] = static_cast<greg_t>(frame.stack);
  registers[REG_RIP] = static_cast<greg_t>(frame.instruction);
}

void return_at_once(ucontext_t& context) {
  greg_t* registers = context.uc_mcontext.gregs;
  registers[REG_RIP] = *reinterpret_cast<const greg_t*>(registers[REG_RSP]);
  registers[REG_RSP] += static_cast<greg_t>(sizeof(greg_t));
}

std::uintptr_t interrupted_at(const ucontext_t& context) {
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
}

std::uintptr_t interrupted_stack(const ucontext_t& context) {
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
}

}  // namespace cairn
