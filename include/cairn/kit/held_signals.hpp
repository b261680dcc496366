// SPDX-License-Identifier: BSD-3-Clause
// held_signals.hpp - writing within a program that must not be ended by it
#pragma once

#include <errno.h>
#include <signal.h>
#include <time.h>

namespace cairn {

/// While it lives, what the calling thread writes raises no signal: neither SIGPIPE, where a reader has gone away, nor
/// SIGXFSZ, where a file would grow beyond what the user allows. The call that writes fails instead. Signals of the
/// program's own come when it is over. errno stays as the call has left it.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&ours_);
    sigset_t pending;
    sigpending(&pending);
    for (const int signal : raised_by_writing)
      if (sigismember(&pending, signal) == 0) sigaddset(&ours_, signal);
    pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  ~HeldSignals() {
    const int error = errno;
    const timespec at_once{};
    while (sigtimedwait(&ours_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  static constexpr int raised_by_writing[] = {SIGPIPE, SIGXFSZ};
  sigset_t ours_;
  sigset_t before_;
};

}  // namespace cairn
