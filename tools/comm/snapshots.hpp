// SPDX-License-Identifier: BSD-3-Clause
// snapshots.hpp - asking for a snapshot while the program runs: every so many seconds, or by a signal
//
// A thread of the tool's own writes it, so that it comes also while the program is within MPI or computes. There is no
// such thread unless the user asks for it. A handler that the program has for the signal is called too.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <functional>

namespace comm {

class Snapshots {
 public:
  /// Seconds between two, and a signal's number; 0: not so. `write` runs on the tool's thread. Returns what could not
  /// be done, or null.
  const char* start(double every, unsigned signal, std::function<void()> write);
  /// None is being written any more afterwards. False if the program has put another handler in the signal's place.
  bool stop();

  /// Those that have no meaning of their own: SIGUSR1, SIGUSR2 and the real-time signals.
  static bool can_ask(unsigned signal);

 private:
  bool take_signal(int signal);
  bool give_signal_back();
  static void on_signal(int signal, siginfo_t* info, void* context);
  static void* run(void* self);
  void wait_and_write();

  // What the signal's handler may touch.
  static inline sem_t wake_;
  static inline struct sigaction before_;
  static inline pid_t owner_ = 0;

  std::function<void()> write_;
  double every_ = 0;
  int signal_ = 0;
  std::atomic<bool> running_{false};
  pthread_t thread_{};
};

}  // namespace comm
