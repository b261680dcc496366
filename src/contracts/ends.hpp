// SPDX-License-Identifier: BSD-3-Clause
// ends.hpp - what libcairn.so tells libcairn-stack.so of how the process may end: changes of signals' actions, and
// _exit
//
// The standard's functions for signals are defined by libcairn.so and go on to the C library until there are hooks.
#pragma once

#include <signal.h>

namespace cairn {

using SignalHandler = void(int);
/// signal, sigset and their like.
using SetHandler = SignalHandler*(int signal, SignalHandler* handler);
using SetAction = int(int signal, const struct sigaction* action, struct sigaction* before);

struct EndHooks {
  SetAction* set_action;
  SignalHandler* (*set_handler)(SetHandler* real, int signal, SignalHandler* handler);
  void (*leave)();  // _exit has been called
};

/// What libcairn-stack.so gets of libcairn.so.
struct Ends {
  const EndHooks* hooks;  // null: none; written with release order
  SetAction* real_set_action;
};

}  // namespace cairn
