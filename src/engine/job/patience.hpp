// SPDX-License-Identifier: BSD-3-Clause
// patience.hpp - says something if a wait takes long
#pragma once

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

namespace cairn::engine {

/// Calls `tell` once, on a thread of its own that no signal reaches, unless it is gone before.
class Patience {
 public:
  Patience(std::chrono::seconds limit, std::function<void()> tell) : tell_(std::move(tell)) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this, limit] { wait(limit); });
    } catch (const std::system_error&) {  // then there is no message
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Patience() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  void wait(std::chrono::seconds limit) {
    std::unique_lock lock(mutex_);
    if (!over_.wait_for(lock, limit, [this] { return is_over_; })) tell_();
  }

  std::function<void()> tell_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace cairn::engine
