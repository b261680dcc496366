// SPDX-License-Identifier: BSD-3-Clause
// helper_thread.hpp - work that is done at intervals on a thread of the tool's own
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <functional>

#include "cairn/kit/clock.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/kit/quiet_thread.hpp"

namespace shared {

class HelperThread {
 public:
  HelperThread() { sem_init(&wanted_, 0, 0); }
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  /// False if the system cannot create a thread.
  [[nodiscard]] bool start(double interval_s, std::function<void()> work) {
    interval_ns_ = static_cast<std::uint64_t>(1e9 * std::min(interval_s, 1e9));
    work_ = std::move(work);
    runs_ = cairn::start_quiet_thread(thread_, &run, this);
    return runs_;
  }

  /// The work is done now, not only after the interval. On any thread, in signal handlers too.
  void wake() {
    if (!is_wanted_.exchange(true)) sem_post(&wanted_);
  }

  /// Returns when the work is no longer being done.
  void stop() {
    if (!runs_) return;
    is_over_ = true;
    sem_post(&wanted_);
    pthread_join(thread_, nullptr);
    runs_ = false;
  }

 private:
  static void* run(void* self) {
    const cairn::OwnWork own;
    static_cast<HelperThread*>(self)->work_until_over();
    return nullptr;
  }

  void work_until_over() {
    for (;;) {
      wait();
      if (is_over_) return;
      is_wanted_ = false;  // before the work: what is wanted meanwhile is done after it
      work_();
    }
  }

  /// Until somebody wakes it, or the interval is over.
  void wait() {
    const std::uint64_t until_ns = cairn::nanoseconds_now() + interval_ns_;
    const timespec until{static_cast<time_t>(until_ns / 1'000'000'000), static_cast<long>(until_ns % 1'000'000'000)};
    while (sem_clockwait(&wanted_, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
    }
  }

  std::uint64_t interval_ns_ = 0;
  std::function<void()> work_;
  pthread_t thread_{};
  bool runs_ = false;
  sem_t wanted_{};
  std::atomic<bool> is_wanted_{false};
  std::atomic<bool> is_over_{false};
};

}  // namespace shared
