// SPDX-License-Identifier: BSD-3-Clause
// monitor.hpp - who reads when: one call at a time is read, also where several threads are in MPI
//
// A variable belongs to the process, so what happens to it while two threads are in MPI cannot be told apart. A call
// that begins while another one is being read is not read, and counted as such: as missed, or as nested where it is the
// same thread's, made by a callback of the program's. Nobody waits for anybody, but for the rare changes of the list of
// handles, which last as long as some calls of MPI_T.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <thread>

#include "published.hpp"
#include "rate.hpp"
#include "rows.hpp"
#include "sampler.hpp"
#include "shared/figure.hpp"
#include "shared/stack_walk.hpp"
#include "sources.hpp"

namespace vars {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point from, Clock::time_point to) {
  return 1e-9 * static_cast<double>(std::chrono::nanoseconds(to - from).count());
}

/// On a clock that is the same for all ranks of a node (cairn/kit/clock.hpp).
inline double on_node(Clock::time_point time) { return seconds_between({}, time); }

/// Of a call, as cairn::Call has both.
struct Place {
  const void* caller = nullptr;
  const void* frame = nullptr;
};

class Monitor {
 public:
  /// `ranks`, `tells_apart`: as Sources has them.
  Monitor(Choice choice, const cairn::Ranks& ranks, bool tells_apart, double budget, unsigned refresh, unsigned pass,
          double interval_s, bool keeps_series)
      : sources_(std::move(choice), ranks, tells_apart),
        rate_(budget),
        sampler_(interval_s, keeps_series, budget),
        most_until_refresh_(refresh),
        pass_(pass) {}

  /// Before start(): others may read what calls did, also after the process's end. `regions`: those of rows.
  void publish(const cairn::Regions& regions, unsigned instance) {
    if (!published_.start(instance)) return;
    rows_.lie_in([this, &regions](const Row& row, std::size_t count) {
      return published_.cells(row, regions.path(row.region), sources_.variables(), count);
    });
  }
  /// After MPI_Init; an error code of MPI_T. `several`: as Sources::start has it.
  int start(bool several) {
    const Clock::time_point from = Clock::now();
    int code = sources_.start_interface(several);
    started_at_ = Clock::now();
    start_s_ = seconds_between(from, started_at_);
    if (code == MPI_SUCCESS) code = sources_.start();
    add_cost(seconds_between(started_at_, Clock::now()));
    if (code == MPI_SUCCESS && sampler_.is_on()) sample();
    return code;
  }
  /// Before MPI_Finalize, when no thread is in MPI.
  void finish() {
    if (sampler_.is_on()) sample();
    const Clock::time_point from = Clock::now();
    sources_.finish();
    const Clock::time_point now = Clock::now();
    add_cost(seconds_between(from, now));
    run_s_ = seconds_between(started_at_, now);
  }
  /// When results have been written: what outlives the process goes.
  void withdraw() { published_.finish(); }
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

  /// The number of the reading, with which end() is called; 0: the call is not read.
  using Ticket = std::uint64_t;
  /// `thread`: what is its own; `follows`: its last call was read; `place`: where on its stack the call is.
  Ticket begin(Rate::Thread& thread, bool follows, const Place& place) {
    const Clock::time_point from = Clock::now();
    if (!rate_.can_pay(thread, cost_s(), seconds_between(started_at_, from))) return 0;
    if (!take_turn(thread, place, from)) return 0;
    if (changing_.exchange(true, std::memory_order_acquire)) {
      end_turn();
      return missed();
    }
    const bool is_close = follows && &thread == last_thread_ && from - ended_at_ < least_reading_;
    if (is_close) sources_.keep_as_before();
    else sources_.read_before();
    changing_.store(false, std::memory_order_release);
    call_began_ = Clock::now();
    if (!is_close) least_reading_ = std::min(least_reading_, call_began_ - from);
    last_thread_ = &thread;
    before_s_ = seconds_between(from, call_began_);
    add_cost(before_s_);
    return ++ticket_;
  }

  /// The thread is over. A call that it was reading, which it left by a jump or was cancelled in, has no end.
  void give_up(const Rate::Thread& thread) {
    if (reader_.load(std::memory_order_relaxed) == &thread) end_turn();
  }

  void end(Ticket ticket, cairn::Regions::Number region, cairn::Function function, const void* place) {
    const Clock::time_point call_ended = Clock::now();
    if (ticket != ticket_) return;  // of a call that was given up, and came to its end all the same
    if (changing_.exchange(true, std::memory_order_acquire)) {
      missed();
      last_thread_ = nullptr;
    } else {
      const double seconds = seconds_between(call_began_, call_ended);
      sources_.read_after(seconds);
      try {
        add(rows_.at(region, function, place, sources_.variables().size()), seconds);
        if (--until_refresh_ == 0) refresh();
      } catch (const std::bad_alloc&) {
        missed();
      }
      if (++reads_; reads_ == pass_) sources_.keep_moved(pass_);
      changing_.store(false, std::memory_order_release);
    }
    ended_at_ = Clock::now();
    const double after_s = seconds_between(call_ended, ended_at_);
    add_cost(after_s);
    rate_.learn(before_s_ + after_s);
    end_turn();
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

  /// The first few are followed in any case, others if their handles can be paid.
  void add_object(Bound kind, const void* handle, std::size_t size, const char* file, const cairn::Frees& frees) {
    if (!sources_.wants(kind)) return;
    const Clock::time_point from = Clock::now();
    const bool can_follow = objects_++ < always_followed || can_pay_object(from);
    const bool is_followed = can_follow && will_be_told(kind, handle, frees);
    alone([&] {
      if (is_followed) sources_.refresh();
      sources_.add_object(kind, handle, size, is_followed, file);
    });
    const double cost = seconds_between(from, Clock::now());
    add_cost(cost);
    if (is_followed) object_s_.store((object_s_.load(std::memory_order_relaxed) + cost) / 2, std::memory_order_relaxed);
  }
  void rename_object(Bound kind, const void* handle, std::size_t size) {
    charged([&] { sources_.rename_object(kind, handle, size); });
  }
  void remove_object(Bound kind, const void* handle, std::size_t size) {
    if (sources_.wants(kind)) charged([&] { sources_.remove_object(kind, handle, size); });
  }

  // On any thread.
  std::uint64_t reads() const { return reads_; }
  std::uint64_t missed_calls() const { return missed_.load(std::memory_order_relaxed); }
  std::uint64_t nested_calls() const { return nested_.load(std::memory_order_relaxed); }
  double cost_s() const { return cost_s_.load(std::memory_order_relaxed) + sampler_.cost_s(); }

  // For the report, when all is done.
  Sources& sources() { return sources_; }
  const Rows& rows() const { return rows_; }
  const Sampler& sampler() const { return sampler_; }
  double run_s() const { return run_s_; }
  Clock::time_point started_at() const { return started_at_; }
  /// Of MPI_T, before the run.
  double start_s() const { return start_s_; }

 private:
  static constexpr unsigned always_followed = 16;  // of the program's objects

  /// What it costs to begin and to end with one.
  bool can_pay_object(Clock::time_point now) const {
    return rate_.has_time_for(2 * object_s_.load(std::memory_order_relaxed), cost_s(),
                              seconds_between(started_at_, now));
  }

  Ticket missed() {
    missed_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }

  /// Whether the call is the one that is read. One of the same thread that it is not within was left by a jump out of an
  /// error handler, and never comes to its end.
  bool take_turn(const Rate::Thread& thread, const Place& place, Clock::time_point from) {
    if (reading_.exchange(true, std::memory_order_acquire)) {
      if (reader_.load(std::memory_order_relaxed) != &thread) return missed() != 0;
      if (place.frame < place_.frame && shared::is_within(place_.caller, place_.frame)) {
        nested_.fetch_add(1, std::memory_order_relaxed);
        add_cost(seconds_between(from, Clock::now()));
        return false;
      }
    }
    reader_.store(&thread, std::memory_order_relaxed);
    place_ = place;
    return true;
  }
  void end_turn() {
    reader_.store(nullptr, std::memory_order_relaxed);
    reading_.store(false, std::memory_order_release);
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

  /// Often at first, when layers are still starting.
  void refresh() {
    between_refreshes_ = std::min(2 * between_refreshes_, most_until_refresh_);
    until_refresh_ = between_refreshes_;
    sources_.refresh();
  }

  void add_cost(double seconds) { cost_s_.fetch_add(seconds, std::memory_order_relaxed); }

  void sample_alone() {
    const Clock::time_point from = Clock::now();
    sources_.refresh();
    sources_.sample();
    published_.take(sources_.variables());
    sampler_.add(on_node(from), seconds_between(from, Clock::now()), sources_.variables());
  }

  void charged(auto change) {
    const Clock::time_point from = Clock::now();
    alone(change);
    add_cost(seconds_between(from, Clock::now()));
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
  Published published_;
  unsigned most_until_refresh_;
  unsigned between_refreshes_ = 1;
  unsigned until_refresh_ = 1;
  unsigned pass_;                      // calls that are read until only what moved is kept; 0: all are
  shared::Figure reads_;               // calls that were read
  std::atomic<bool> reading_{false};   // a call is being read
  std::atomic<bool> changing_{false};  // sources_ is in use
  std::atomic<std::uint64_t> missed_{0};
  std::atomic<std::uint64_t> nested_{0};
  Clock::time_point started_at_;
  double start_s_ = 0;
  // Of the call that is read.
  std::atomic<const Rate::Thread*> reader_{nullptr};
  Place place_;
  Ticket ticket_ = 0;
  Clock::time_point call_began_;
  double before_s_ = 0;
  // Between calls that are closer than one reading takes, one serves both.
  Clock::time_point ended_at_;
  const Rate::Thread* last_thread_ = nullptr;
  Clock::duration least_reading_ = std::chrono::microseconds(10);
  std::atomic<double> cost_s_{0};
  std::atomic<unsigned> objects_{0};     // that the program has made
  std::atomic<double> object_s_{10e-6};  // what the last ones have cost, each
  double run_s_ = 0;
};

}  // namespace vars
