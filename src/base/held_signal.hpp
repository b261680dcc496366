// SPDX-License-Identifier: BSD-3-Clause
// held_signal.hpp - a signal that a system call of ours may raise does not reach the program.
//
// Header only and free of the C++ library: the preload library uses it too.
#pragma once

#include <signal.h>
#include <time.h>

#include <cerrno>

namespace cairn {

/// Holds the signal back on this thread while it lives, and takes it away if it was ours. errno stays.
class HeldSignal {
 public:
  explicit HeldSignal(int signal) {
    sigset_t pending;
    sigemptyset(&held_);
    sigaddset(&held_, signal);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, signal) == 1;
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignal() {
    const int error = errno;
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&held_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  HeldSignal(const HeldSignal&) = delete;
  HeldSignal& operator=(const HeldSignal&) = delete;

 private:
  sigset_t held_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace cairn
