// SPDX-License-Identifier: BSD-3-Clause
// sampler.hpp - where the program's threads spend processor time: a timer interrupts each of them now and then
//
// Each thread has a timer of the processor time that it uses, so a thread that sleeps or waits is left alone. The timer
// sends SIGURG, as that is ignored where nobody handles it: a signal that comes when all is over, or when the program has
// taken it for itself, does no harm. Its handler notes where the thread was, without a lock or an allocation. Threads
// that MPI_Init starts are not the program's.
#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "waits/samples.hpp"

namespace waits_tool {

class Sampler {
 public:
  static constexpr std::int64_t period_ns = 10'000'000;

  /// Before MPI starts: the threads that there are are the program's.
  void note_threads();
  /// Once MPI has started. Keeps at most so many samples. False if the program handles the signal itself.
  bool begin(std::size_t most_samples);
  /// Takes what the handler has noted; finds threads that have begun or ended. On one thread of the tool's own. False,
  /// once, if the program has begun to handle the signal itself: that is the end of sampling.
  bool look();
  void end();

  /// All so far. The time of each is that since the thread's sample before.
  std::vector<cairn::waits::TimedSample> samples();
  /// Threads for which the system had no timer.
  std::uint64_t unsampled() const { return unsampled_; }

 private:
  static constexpr unsigned looks_between_searches = 10;  // where the number of threads stays the same

  std::optional<timer_t> timer_of(int thread);
  void find_threads();
  void stop();
  void take();
  void keep(const cairn::waits::TimedSample& sample);

  std::mutex lock_;
  std::set<int> before_mpi_;
  std::map<int, std::optional<timer_t>> timers_;  // by thread; none: MPI's, or the system has no more
  std::uint64_t unsampled_ = 0;
  unsigned looks_ = 0;
  std::uint64_t thread_count_ = 0;
  std::size_t most_samples_ = 0;
  std::uint64_t taken_ = 0;
  std::vector<cairn::waits::TimedSample> kept_;
  std::uint64_t stride_ = 1;  // of so many samples one is kept, for all of them
  std::uint64_t passed_ = 0;
};

}  // namespace waits_tool
