// SPDX-License-Identifier: BSD-3-Clause
// ends.cc - the functions by which a program says what signals do, and _exit: as the C library's, but for the hooks
//
// A process that makes no MPI call under a stack has no hooks. Everything here may be called in signal handlers and in
// children by vfork.

#include <sys/syscall.h>
#include <unistd.h>

#include "contracts/ends.hpp"
#include "preload/parts.hpp"

cairn::Ends cairn_ends = {nullptr, nullptr};

namespace {

const cairn::EndHooks* hooks() { return __atomic_load_n(&cairn_ends.hooks, __ATOMIC_ACQUIRE); }

cairn::SignalHandler* set_handler(cairn::SetHandler*& real, const char* name, int number,
                                  cairn::SignalHandler* handler) {
  if (real == nullptr) real = reinterpret_cast<cairn::SetHandler*>(cairn_next(name));
  const cairn::EndHooks* const hook = hooks();
  return hook == nullptr ? real(number, handler) : hook->set_handler(real, number, handler);
}

using Leave = void(int);
Leave* real_exit = nullptr;

/// While the process starts, so that the calls themselves need not, unless other constructors come earlier.
__attribute__((constructor)) void find_functions() {
  real_exit = reinterpret_cast<Leave*>(cairn_next("_exit"));
  cairn_ends.real_set_action = reinterpret_cast<cairn::SetAction*>(cairn_next("sigaction"));
}

[[noreturn]] void leave(int status) {
  if (const cairn::EndHooks* const hook = hooks()) hook->leave();
  if (real_exit != nullptr) real_exit(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

#define CAIRN_EXPORTED __attribute__((visibility("default")))

extern "C" {

CAIRN_EXPORTED int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  const cairn::EndHooks* const hook = hooks();
  if (cairn_ends.real_set_action == nullptr) find_functions();
  return hook == nullptr ? cairn_ends.real_set_action(number, action, before)
                         : hook->set_action(number, action, before);
}

#define CAIRN_SET_HANDLER(name)                                                                   \
  CAIRN_EXPORTED cairn::SignalHandler* name(int number, cairn::SignalHandler* handler) noexcept { \
    static cairn::SetHandler* real = nullptr;                                                     \
    return set_handler(real, #name, number, handler);                                             \
  }
CAIRN_SET_HANDLER(signal)
CAIRN_SET_HANDLER(bsd_signal)
CAIRN_SET_HANDLER(ssignal)
CAIRN_SET_HANDLER(sysv_signal)
CAIRN_SET_HANDLER(__sysv_signal)
CAIRN_SET_HANDLER(sigset)
#undef CAIRN_SET_HANDLER

CAIRN_EXPORTED void _exit(int status) { leave(status); }
CAIRN_EXPORTED void _Exit(int status) noexcept { leave(status); }
}
