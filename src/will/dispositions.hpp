// SPDX-License-Identifier: BSD-3-Clause
// dispositions.hpp - what signals do, as the program says and as the kernel is told: where a signal would end the
// process, a handler of ours stands in its place, and the program does not see it
//
// A handler of the program stays in the kernel itself, with two exceptions, where one of ours comes before it and goes
// on to it by a jump: a handler that is for one time only (the kernel would put the deadly default behind it), and one
// of SIGABRT, after which abort() ends the process without asking anybody.
#pragma once

#include "contracts/ends.hpp"

namespace cairn {

/// What is done when a signal ends the process; called in signal handlers.
struct DeathHooks {
  /// The process ends by the signal as soon as this returns.
  void (*dies)(int signal);
  /// A handler of the program's for SIGABRT comes next, after which the process may live on.
  void (*may_die)(int signal);
  /// _exit has been called, which ends the process when this returns.
  void (*leaves)();
  /// Does not return on a thread of ours, whose crash ends nothing but the thread.
  void (*leave_own_thread)();
};

/// From here on, for this process but not for its children by fork; gives the calling thread a stack for handlers, if
/// it has none. Again after stop_watching_signals().
void watch_signals(Ends& ends, const DeathHooks& hooks);

/// All signals do what the program wants, with nothing of ours before it.
void stop_watching_signals();

/// While it lives, ours come first at crashes too, whatever the program does about them.
class CrashWatch {
 public:
  CrashWatch();
  ~CrashWatch();
  CrashWatch(const CrashWatch&) = delete;
  CrashWatch& operator=(const CrashWatch&) = delete;
};

}  // namespace cairn
