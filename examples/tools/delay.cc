// SPDX-License-Identifier: BSD-3-Clause
// delay.cc - a slower network: waits before every message that a rank sends

#include <mpi.h>

#include <chrono>
#include <thread>

#include "cairn/kit.hpp"

/// The function sends a message, at once or when it is started.
template <cairn::Function F>
constexpr bool sends() {
  return cairn::has<F>(cairn::Role::dest) && cairn::moves_data(cairn::facts(F).category);
}

class Delay {
 public:
  static constexpr std::string_view about = "waits before every message that is sent";
  struct Options {
    unsigned us = 10;
    bool busy = false;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("us", us, "microseconds to wait");
      visit("busy", busy, "whether the processor is kept busy, for times that sleeping is too coarse for: on or off");
    }
  };
  Delay(cairn::Self, const Options& options) : time_(options.us), busy_(options.busy) {}

  template <cairn::Function F>
  requires(sends<F>()) int on(cairn::Call<F>& call) {
    if (arg<cairn::Role::dest>(call) != MPI_PROC_NULL) wait();
    return call.proceed();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void wait() const {
    if (!busy_) return std::this_thread::sleep_for(time_);
    for (const auto end = Clock::now() + time_; Clock::now() < end;) {
    }
  }

  std::chrono::microseconds time_;
  bool busy_;
};

CAIRN_TOOL(Delay)
