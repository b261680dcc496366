// SPDX-License-Identifier: BSD-3-Clause
// quiet_thread.hpp - a thread of a tool's own, which gets none of the program's signals
#pragma once

#include <pthread.h>
#include <signal.h>

namespace cairn {

/// To be joined. Its name tells `cairn where` that it is none of the program's. False if the system cannot create a thread.
inline bool start_quiet_thread(pthread_t& thread, void* (*run)(void*), void* argument) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&thread, nullptr, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) pthread_setname_np(thread, "cairn-helper");
  return started;
}

}  // namespace cairn
