// SPDX-License-Identifier: BSD-3-Clause
// signal_list.hpp - which signals end a process, and their names; for signal handlers
#pragma once

#include <signal.h>

#include <array>

namespace cairn {

inline constexpr std::array crash_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

/// By default, and so that something can be done before.
constexpr bool is_deadly(int signal) {
  switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
      return false;
    default:
      return signal >= 1 && signal < _NSIG;
  }
}

/// "SIGTERM"; real-time signals, which have numbers only, are one.
const char* name_of_signal(int signal);

}  // namespace cairn
