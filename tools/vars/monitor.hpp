// SPDX-License-Identifier: BSD-3-Clause
// monitor.hpp - who reads when: one call at a time is read, also where several threads are in MPI
//
// A variable belongs to the process, so what happens to it while two threads are in MPI cannot be told apart. A call
// that begins while another one is being read is not read, and counted as such. Nobody waits for anybody, but for the
// rare changes of the list of handles, which last as long as some calls of MPI_T.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "rate.hpp"
#include "rows.hpp"
#include "sampler.hpp"
#include "shared/figure.hpp"
#include "sources.hpp"

namespace vars {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point from, Clock::time_point to) {
  return 1e-9 * static_cast<double>(std::chrono::nanoseconds(to - from).count());
}

class Monitor {
 public:
  /// `ranks`: as Sources has it.
  Monitor(Choice choice, const cairn::Ranks* ranks, double budget, unsigned refresh, unsigned pass, double interval_s,
          bool keeps_series)
      : sources_(std::move(choice), ranks),
        rate_(budget),
        sampler_(interval_s, keeps_series, budget),
        refresh_every_(refresh),
        until_refresh_(refresh),
        pass_(pass) {}

  /// After MPI_Init; an error code of MPI_T. `several`: as Sources::start has it.
  int start(bool several) {
    const int code = sources_.start(several);
    started_at_ = Clock::now();
    if (code == MPI_SUCCESS && sampler_.is_on()) sample();
    return code;
  }
  /// Before MPI_Finalize, when no thread is in MPI.
  void finish() {
    if (sampler_.is_on()) sample();
    run_s_ = seconds_between(started_at_, Clock::now());
    sources_.finish();
  }
  /// Instead of it where the process ends otherwise and MPI must not be called. The thread that it ends in may be
  /// reading, so it is not waited for long. True if nobody was: nobody reads until stay(), as the process may live on.
  bool leave() {
    bool is_busy = true;
    for (int i = 0; i < 100 && is_busy; ++i) {
      is_busy = changing_.exchange(true, std::memory_order_acquire);
      if (is_busy) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    run_s_ = seconds_between(started_at_, Clock::now());
    sources_.leave();
    return !is_busy;
  }
  void stay() { changing_.store(false, std::memory_order_release); }

  Rate& rate() { return rate_; }

  /// Whether the call is read; then end() follows it. `thread`: any address of its own; `follows`: its last call was
  /// read.
  bool begin(const void* thread, bool follows) {
    if (reading_.exchange(true, std::memory_order_acquire)) return missed();
    if (changing_.exchange(true, std::memory_order_acquire)) {
      reading_.store(false, std::memory_order_release);
      return missed();
    }
    const Clock::time_point from = Clock::now();
    const bool is_close = follows && thread == last_thread_ && from - ended_at_ < least_reading_;
    if (is_close) sources_.keep_as_before();
    else sources_.read_before();
    changing_.store(false, std::memory_order_release);
    call_began_ = Clock::now();
    if (!is_close) least_reading_ = std::min(least_reading_, call_began_ - from);
    last_thread_ = thread;
    add_cost(seconds_between(from, call_began_));
    return true;
  }

  void end(cairn::Regions::Number region, cairn::Function function, const void* place) {
    const Clock::time_point call_ended = Clock::now();
    if (changing_.exchange(true, std::memory_order_acquire)) {
      missed();
      last_thread_ = nullptr;
    } else {
      const double seconds = seconds_between(call_began_, call_ended);
      sources_.read_after(seconds);
      add(rows_.at(region, function, place, sources_.variables().size()), seconds);
      if (--until_refresh_ == 0) refresh();
      if (++reads_; reads_ == pass_) sources_.keep_moved(pass_);
      changing_.store(false, std::memory_order_release);
    }
    const Clock::time_point now = Clock::now();
    add_cost(seconds_between(call_ended, now));
    ended_at_ = now;
    rate_.adapt(cost_s_.load(std::memory_order_relaxed), seconds_between(started_at_, now));
    reading_.store(false, std::memory_order_release);
  }

  /// In a call of the program's: samples if it is time and nobody is at the variables.
  void sample_if_due() {
    if (!sampler_.is_due()) [[likely]]
      return;
    if (changing_.exchange(true, std::memory_order_acquire)) return sampler_.put_off();
    sample_alone();
    changing_.store(false, std::memory_order_release);
  }
  /// On any other thread.
  void sample() {
    alone([this] { sample_alone(); });
  }

  template <class Object>
  void add_object(Bound kind, Object object, const char* file = nullptr) {
    alone([&] {
      refresh();
      sources_.add_object(kind, object, file);
    });
  }
  template <class Object>
  void rename_object(Bound kind, Object object) {
    alone([&] { sources_.rename_object(kind, object); });
  }
  template <class Object>
  void remove_object(Bound kind, Object object) {
    alone([&] { sources_.remove_object(kind, object); });
  }

  // On any thread.
  std::uint64_t reads() const { return reads_; }
  std::uint64_t missed_calls() const { return missed_.load(std::memory_order_relaxed); }
  double cost_s() const { return cost_s_.load(std::memory_order_relaxed) + sampler_.cost_s(); }

  // For the report, when all is done.
  Sources& sources() { return sources_; }
  const Rows& rows() const { return rows_; }
  const Sampler& sampler() const { return sampler_; }
  double run_s() const { return run_s_; }

 private:
  bool missed() {
    missed_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }

  void add(Row& row, double seconds) {
    ++row.samples;
    const std::vector<Reading>& readings = sources_.readings();
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const Reading& reading = readings[i];
      if (reading.handles == 0) continue;
      Variable& variable = sources_.variables()[i];
      row.cells[i].add(variable.way, reading, seconds);
      variable.attributed += reading.change;
      variable.elsewhere += reading.elsewhere;
      variable.resets += reading.resets;
      variable.moved |= reading.moved;
    }
  }

  void refresh() {
    until_refresh_ = refresh_every_;
    sources_.refresh();
  }

  /// Of the one thread that reads.
  void add_cost(double seconds) {
    cost_s_.store(cost_s_.load(std::memory_order_relaxed) + seconds, std::memory_order_relaxed);
  }

  void sample_alone() {
    const Clock::time_point from = Clock::now();
    sources_.refresh();
    sources_.sample();
    sampler_.add(seconds_between(started_at_, from), seconds_between(from, Clock::now()), sources_.variables());
  }

  void alone(auto change) {
    while (changing_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    change();
    changing_.store(false, std::memory_order_release);
  }

  Sources sources_;
  Rows rows_;
  Rate rate_;
  Sampler sampler_;
  unsigned refresh_every_;
  unsigned until_refresh_;
  unsigned pass_;                      // calls that are read until only what moved is kept; 0: all are
  shared::Figure reads_;               // calls that were read
  std::atomic<bool> reading_{false};   // a call is being read
  std::atomic<bool> changing_{false};  // sources_ is in use
  std::atomic<std::uint64_t> missed_{0};
  Clock::time_point started_at_;
  Clock::time_point call_began_;
  // Between calls that are closer than one reading takes, one serves both.
  Clock::time_point ended_at_;
  const void* last_thread_ = nullptr;
  Clock::duration least_reading_ = std::chrono::microseconds(10);
  std::atomic<double> cost_s_{0};
  double run_s_ = 0;
};

}  // namespace vars
