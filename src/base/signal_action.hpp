// SPDX-License-Identifier: BSD-3-Clause
// signal_action.hpp - what a program does about a signal, and a handler that comes before that
#pragma once

#include <signal.h>

namespace cairn {

inline bool has_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

inline void call_handler(const struct sigaction& action, int number, siginfo_t* info, void* context) {
  if ((action.sa_flags & SA_SIGINFO) != 0) action.sa_sigaction(number, info, context);
  else action.sa_handler(number);
}

/// The handler, with the mask, the stack and the other flags of the program's own, if it has one.
inline struct sigaction with_handler_before(const struct sigaction& program, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  if (has_handler(program)) action = program;
  else action.sa_flags = SA_RESTART;
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = handler;
  return action;
}

/// In a handler: what the signal would have done without it, as in a child by fork, where nobody waits for it.
inline void act_as_before(int number, const struct sigaction& program) {
  sigaction(number, &program, nullptr);
  raise(number);
}

}  // namespace cairn
