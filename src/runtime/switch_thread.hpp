// SPDX-License-Identifier: BSD-3-Clause
// switch_thread.hpp - a thread of the runtime that does things at set times and when a signal has come.
//
// It exists only while there is something to wait for. It takes no signals, holds no lock while it waits, and does not
// keep the process from ending.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace cairn {

/// One per process. Everything but the handler of signals runs on the thread that builds the stack, before start(), or
/// on the thread itself.
class SwitchThread {
 public:
  using Time = std::chrono::nanoseconds;  // since start()

  void at(Time when, std::function<void()> act) { due_.emplace(when, std::move(act)); }

  /// Calls act(signal), once per signal that comes: SIGUSR1 or SIGUSR2. True if the program has a handler of its own,
  /// which is then called too; one that the program sets later takes the place of ours.
  bool on_signal(int signal, std::function<void(int)> act);

  /// Starts the thread if it has something to do; false if that fails. `in_child` is called in the child after fork,
  /// which the thread does not follow into.
  bool start(std::function<void()> in_child);

 private:
  static void* run(void* self);
  void work();
  bool wait();
  void act_on_signals();

  std::chrono::steady_clock::time_point begin_;
  std::multimap<Time, std::function<void()>> due_;
  std::function<void(int)> on_signal_;
  std::function<void()> in_child_;
};

}  // namespace cairn
