// SPDX-License-Identifier: BSD-3-Clause
// aside.hpp - a part of the analysis on a thread of its own
#pragma once

#include <pthread.h>

#include <functional>
#include <utility>

#include "cairn/kit/quiet_thread.hpp"

namespace cairn::waits {

/// Work that goes on beside what this thread does, or is done when it is to be finished: where there can be no other
/// thread, or the work has thrown there. So it may be done twice.
class Aside {
 public:
  /// `starts`: whether there is to be another thread. It gets no signals.
  Aside(std::function<void()> work, bool starts) : work_(std::move(work)) {
    runs_ = starts && start_quiet_thread(thread_, &run, this);
  }
  ~Aside() { join(); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  bool runs() const { return runs_; }
  /// Returns when the work is done; throws what the work throws.
  void finish() {
    join();
    if (!is_done_) work_();
    is_done_ = true;
  }

 private:
  static void* run(void* self) {
    static_cast<Aside*>(self)->work();
    return nullptr;
  }
  void work() try {
    work_();
    is_done_ = true;
  } catch (...) {  // finish() throws it again
  }
  void join() {
    if (std::exchange(runs_, false)) pthread_join(thread_, nullptr);
  }

  std::function<void()> work_;
  pthread_t thread_{};
  bool runs_ = false;
  bool is_done_ = false;
};

}  // namespace cairn::waits
