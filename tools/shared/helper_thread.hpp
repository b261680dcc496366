// SPDX-License-Identifier: BSD-3-Clause
// helper_thread.hpp - work that is done at intervals on a thread of the tool's own
#pragma once

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "cairn/kit/own_work.hpp"
#include "shared/quiet_thread.hpp"

namespace shared {

class HelperThread {
 public:
  /// False if the system cannot create a thread.
  [[nodiscard]] bool start(double interval_s, std::function<void()> work) {
    interval_ = std::chrono::duration<double>(interval_s);
    work_ = std::move(work);
    runs_ = start_quiet_thread(thread_, &run, this);
    return runs_;
  }

  /// Returns when the work is no longer being done.
  void stop() {
    if (!runs_) return;
    {
      const std::lock_guard guard(lock_);
      is_over_ = true;
    }
    wake_.notify_one();
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
    std::unique_lock guard(lock_);
    while (!wake_.wait_for(guard, interval_, [this] { return is_over_; })) {
      guard.unlock();
      work_();
      guard.lock();
    }
  }

  std::chrono::duration<double> interval_{};
  std::function<void()> work_;
  pthread_t thread_{};
  bool runs_ = false;
  std::mutex lock_;
  std::condition_variable wake_;
  bool is_over_ = false;
};

}  // namespace shared
