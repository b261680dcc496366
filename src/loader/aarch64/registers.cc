// SPDX-License-Identifier: BSD-3-Clause
// registers.cc - a frame's registers on aarch64: x19 to x29 and the lower halves of v8 to v15.

#include "loader/registers.hpp"

#include <asm/ptrace.h>
#include <asm/sigcontext.h>

namespace cairn {

namespace {

constexpr std::size_t first_general = 19;
constexpr std::size_t general_count = 11;
constexpr std::size_t first_vector = 8;
constexpr std::array callee_saved = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,  // x19 …
                                     72, 73, 74, 75, 76, 77, 78, 79};             // v8 …
static_assert(callee_saved.size() <= most_callee_saved_registers);

/// The kernel appends records of several kinds to the general registers; the vector registers are in one of them.
fpsimd_context* vector_registers(ucontext_t& context) {
  auto* place = reinterpret_cast<unsigned char*>(context.uc_mcontext.__reserved);
  const unsigned char* end = place + sizeof context.uc_mcontext.__reserved;
  while (place + sizeof(_aarch64_ctx) <= end) {
    auto* record = reinterpret_cast<_aarch64_ctx*>(place);
    if (record->magic == FPSIMD_MAGIC) return reinterpret_cast<fpsimd_context*>(record);
    if (record->magic == 0 || record->size == 0) return nullptr;
    place += record->size;
  }
  return nullptr;
}

}  // namespace

std::span<const int> callee_saved_registers() { return callee_saved; }

void resume_at(ucontext_t& context, const FrameRegisters& frame) {
  for (std::size_t i = 0; i < general_count; ++i) context.uc_mcontext.regs[first_general + i] = frame.callee_saved[i];
  if (fpsimd_context* vectors = vector_registers(context); vectors != nullptr)
    for (std::size_t i = general_count; i < callee_saved.size(); ++i)
      vectors->vregs[first_vector + i - general_count] = frame.callee_saved[i];
  context.uc_mcontext.sp = frame.stack;
  context.uc_mcontext.pc = frame.instruction;
  // After a crash at the target of an indirect branch, the processor would expect a landing pad where we go on.
  context.uc_mcontext.pstate &= ~static_cast<unsigned long long>(PSR_BTYPE_MASK);
}

void return_at_once(ucontext_t& context) { context.uc_mcontext.pc = context.uc_mcontext.regs[30]; }

std::uintptr_t interrupted_at(const ucontext_t& context) { return context.uc_mcontext.pc; }

std::uintptr_t interrupted_stack(const ucontext_t& context) { return context.uc_mcontext.sp; }

}  // namespace cairn
