// SPDX-License-Identifier: BSD-3-Clause
// held_signals.hpp - writing without signals that could end the program
#pragma once

#include <errno.h>
#include <signal.h>
#include <time.h>

namespace cairn {

/// While it exists, writes of the calling thread raise neither SIGPIPE (the reader has closed) nor SIGXFSZ (the file
/// would exceed the size limit); they fail instead. Signals of the program that arrive meanwhile are delivered
/// afterwards. errno is preserved.
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
