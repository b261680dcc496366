// SPDX-License-Identifier: BSD-3-Clause
// monitor.hpp - who reads when: one call at a time is read, also where several threads are in MPI
//
// A variable belongs to the process, so what happens to it while two threads are in MPI cannot be told apart. A call
// that begins while another one is being read is not read, and counted as such. Nobody waits for anybody, but for the
// rare changes of the list of handles, which last as long as some calls of MPI_T.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "rate.hpp"
#include "rows.hpp"
#include "sources.hpp"

namespace vars {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point from, Clock::time_point to) {
  return 1e-9 * static_cast<double>(std::chrono::nanoseconds(to - from).count());
}

class Monitor {
 public:
  Monitor(Choice choice, double budget, unsigned refresh)
      : sources_(std::move(choice)), rate_(budget), refresh_every_(refresh), until_refresh_(refresh) {}

  /// After MPI_Init; an error code of MPI_T.
  int start() {
    const int code = sources_.start();
    started_at_ = Clock::now();
    return code;
  }
  /// Before MPI_Finalize, when no thread is in MPI.
  void finish() {
    run_s_ = seconds_between(started_at_, Clock::now());
    sources_.finish();
  }

  Rate& rate() { return rate_; }

  /// Whether the call is read; then end() follows it.
  bool begin() {
    if (reading_.exchange(true, std::memory_order_acquire)) return missed();
    if (changing_.exchange(true, std::memory_order_acquire)) {
      reading_.store(false, std::memory_order_release);
      return missed();
    }
    const Clock::time_point from = Clock::now();
    sources_.read_before();
    changing_.store(false, std::memory_order_release);
    call_began_ = Clock::now();
    cost_s_ += seconds_between(from, call_began_);
    return true;
  }

  void end(cairn::Regions::Number region, cairn::Function function, const void* place) {
    const Clock::time_point call_ended = Clock::now();
    if (changing_.exchange(true, std::memory_order_acquire)) {
      missed();
    } else {
      sources_.read_after();
      add(rows_.at(region, function, place, sources_.variables().size()), seconds_between(call_began_, call_ended));
      if (--until_refresh_ == 0) refresh();
      changing_.store(false, std::memory_order_release);
    }
    const Clock::time_point now = Clock::now();
    cost_s_ += seconds_between(call_ended, now);
    rate_.adapt(cost_s_, seconds_between(started_at_, now));
    reading_.store(false, std::memory_order_release);
  }

  template <class Object>
  void add_object(Bound kind, Object object) {
    alone([&] {
      refresh();
      sources_.add_object(kind, object);
    });
  }
  template <class Object>
  void remove_object(Bound kind, Object object) {
    alone([&] { sources_.remove_object(kind, object); });
  }

  // For the report, when all is done.
  Sources& sources() { return sources_; }
  const Rows& rows() const { return rows_; }
  std::uint64_t missed_calls() const { return missed_.load(std::memory_order_relaxed); }
  double cost_s() const { return cost_s_; }
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
    }
  }

  void refresh() {
    until_refresh_ = refresh_every_;
    sources_.refresh();
  }

  void alone(auto change) {
    while (changing_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    change();
    changing_.store(false, std::memory_order_release);
  }

  Sources sources_;
  Rows rows_;
  Rate rate_;
  unsigned refresh_every_;
  unsigned until_refresh_;
  std::atomic<bool> reading_{false};   // a call is being read
  std::atomic<bool> changing_{false};  // sources_ is in use
  std::atomic<std::uint64_t> missed_{0};
  Clock::time_point started_at_;
  Clock::time_point call_began_;
  double cost_s_ = 0;
  double run_s_ = 0;
};

}  // namespace vars
