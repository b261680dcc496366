// SPDX-License-Identifier: BSD-3-Clause
// sampler.hpp - where the program's threads spend processor time: a timer interrupts each of them now and then
//
// Each thread has a timer of the processor time that it uses, so a thread that sleeps or waits is left alone. The timer
// sends a real-time signal that the program does not use; its handler notes where the thread was, without a lock or an
// allocation. Threads that MPI had started before are not the program's.
#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>
#include <map>
#include <mutex>
#include <vector>

#include "waits/samples.hpp"

namespace waits_tool {

class Sampler {
 public:
  static constexpr std::int64_t period_ns = 10'000'000;

  /// On the thread that has started MPI. False if the program uses all real-time signals.
  bool begin();
  /// Takes what the handler has noted; finds threads that have begun or ended. On one thread of the tool's own.
  void look();
  void end();

  /// All so far. The time of each is that since the thread's sample before.
  std::vector<cairn::waits::TimedSample> samples();
  /// That could not have a timer.
  std::uint64_t unsampled() const { return unsampled_; }

 private:
  static constexpr std::size_t most_samples = 1U << 19U;

  void add_timer(int thread);
  void find_threads();
  void take();
  void keep(const cairn::waits::TimedSample& sample);

  std::mutex lock_;
  int signal_ = 0;
  std::map<int, timer_t> timers_;  // by thread; null: has none
  std::uint64_t unsampled_ = 0;
  std::uint64_t taken_ = 0;
  std::vector<cairn::waits::TimedSample> kept_;
  std::uint64_t stride_ = 1;  // of so many samples one is kept, for all of them
  std::uint64_t passed_ = 0;
};

}  // namespace waits_tool
