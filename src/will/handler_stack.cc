// SPDX-License-Identifier: BSD-3-Clause
// handler_stack.cc - the stack, and trying whether the kernel could have written to another one

#include "will/handler_stack.hpp"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loader/registers.hpp"

namespace cairn {

namespace {

// As much as the main stack usually has: handlers of the program that ask for an alternate stack run there, too. Memory
// is taken only where it is touched.
constexpr std::size_t stack_size = std::size_t{8} << 20U;
constexpr std::size_t page = 4096;
constexpr std::uintptr_t red_zone = 128;  // below the stack pointer, as the x86-64 ABI has it; spared elsewhere too

/// The kernel writes there, as it does when it prepares a handler, and lets the stack grow if it may.
bool can_be_written(std::uintptr_t address) {
  constexpr std::size_t kernel_sigset_size = 8;
  return syscall(SYS_rt_sigpending, address & ~std::uintptr_t{7}, kernel_sigset_size) == 0;
}

std::uintptr_t frame_size() {
#ifdef AT_MINSIGSTKSZ
  if (const unsigned long size = getauxval(AT_MINSIGSTKSZ); size != 0) return size;
#endif
  return page;
}

}  // namespace

void use_handler_stack() {
  stack_t now = {};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  void* const memory = mmap(nullptr, page + stack_size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  mprotect(memory, page, PROT_NONE);
  stack_t stack = {};
  stack.ss_sp = static_cast<char*>(memory) + page;
  stack.ss_size = stack_size;
  sigaltstack(&stack, nullptr);
}

bool fits_on_interrupted_stack(const void* context) {
  stack_t now = {};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_ONSTACK) == 0) return true;  // it runs there
  const std::uintptr_t stack = interrupted_stack(*static_cast<const ucontext_t*>(context));
  const auto own = reinterpret_cast<std::uintptr_t>(now.ss_sp);
  if (stack - own < now.ss_size) return true;
  const std::uintptr_t end = stack - red_zone - frame_size();
  for (std::uintptr_t at = stack - red_zone - 8; at > end; at -= page)
    if (!can_be_written(at)) return false;
  return can_be_written(end);
}

}  // namespace cairn
