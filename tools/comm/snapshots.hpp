// SPDX-License-Identifier: BSD-3-Clause
// snapshots.hpp - asking for a snapshot while the program runs: every so many seconds, or by a signal
//
// A thread of the tool's own writes it, so that it comes also while the program is within MPI or computes. There is no
// such thread unless the user asks for it.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <functional>

namespace comm {

class Snapshots {
 public:
  /// Seconds between two, and a signal's number; 0: not so. `write` runs on the tool's thread. Returns what could not
  /// be done, or null.
  const char* start(double every, unsigned signal, std::function<void()> write);
  /// None is being written any more afterwards.
  void stop();

 private:
  static void on_signal(int signal);
  static void* run(void* self);
  void wait_and_write();

  static inline sem_t wake_;  // of a semaphore alone a signal's handler may say that something is wanted
  std::function<void()> write_;
  double every_ = 0;
  std::atomic<bool> running_{false};
  pthread_t thread_{};
};

}  // namespace comm
