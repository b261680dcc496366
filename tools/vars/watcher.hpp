// SPDX-License-Identifier: BSD-3-Clause
// watcher.hpp - what is done around every call, whatever its function: counting, reading, following objects
//
// The handlers in vars.cc are made once for each function of MPI and only call this.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "cairn/functions.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/regions.hpp"
#include "cairn/services/frees.hpp"
#include "monitor.hpp"
#include "shared/figure.hpp"

namespace vars {

/// What one thread counts: all calls, whether read or not.
struct Thread {
  cairn::Regions::Thread regions;
  Rate::Thread rate;
  bool was_read = false;       // its last call
  Monitor* reading = nullptr;  // while that is under way
  std::array<shared::Figure, cairn::function_count> calls{};

  std::uint64_t count(cairn::Function function) {
    shared::Figure& mine = calls[static_cast<std::size_t>(function)];
    ++mine;
    return mine;
  }
  void thread_ended() {
    regions = {};
    was_read = false;
    if (Monitor* const left = std::exchange(reading, nullptr)) left->give_up(rate);
  }
};

class Watcher {
 public:
  /// A call under way; no thread: it is none of the program's, as tools whose variables are read may call MPI.
  struct Watched {
    Thread* thread;
    Monitor::Ticket ticket;
  };

  /// `attributes`: whether changes belong to calls; `sites`: to places of calls too.
  Watcher(Monitor& monitor, const cairn::Frees& frees, bool attributes, bool sites)
      : monitor_(monitor), frees_(frees), attributes_(attributes), sites_(sites) {
    frees.listen(&listener_);
  }

  /// Between MPI_Init and MPI_Finalize.
  bool is_active() const { return active_.load(std::memory_order_relaxed); }
  /// As Monitor has it.
  void publish(unsigned instance) { monitor_.publish(regions_, instance); }
  /// An error code of MPI_T. `several`: as Sources has it.
  int start(bool several);
  /// From here on calls are none of ours; whether they were.
  bool stop() { return active_.exchange(false); }
  /// Before MPI_Finalize.
  void finish();
  /// A thread of the tool's samples, so calls need not.
  void leave_sampling() { samples_ = false; }
  void sample();

  /// The call goes on, with all that is done around it.
  template <class Call>
  auto watch(Call& call) {
    if (!is_active()) return call.proceed();
    const Place place{call.caller(), call.frame()};
    const Watched watched = enter(Call::function, place);
    const auto result = call.proceed();
    leave(watched, Call::function, place.caller);
    return result;
  }

  Watched enter(cairn::Function function, const Place& place);
  /// `caller`: where the call returns to.
  void leave(const Watched& call, cairn::Function function, const void* caller);

  template <class Object>
  void add_object(Bound kind, Object object, const char* file = nullptr) {
    if (is_active() && !cairn::is_tools_call()) add(kind, &object, sizeof object, file);
  }
  template <class Object>
  void rename_object(Bound kind, Object object) {
    if (is_active() && !cairn::is_tools_call()) rename(kind, &object, sizeof object);
  }
  template <class Object>
  void remove_object(Bound kind, Object object) {
    if (is_active() && !cairn::is_tools_call()) remove(kind, &object, sizeof object);
  }

  /// Of the running or ended thread's calls.
  template <class Visit>
  void for_each_thread(Visit visit) {
    threads_.for_each(visit);
  }

  cairn::Regions& regions() { return regions_; }

 private:
  void add(Bound kind, const void* handle, std::size_t size, const char* file);
  void rename(Bound kind, const void* handle, std::size_t size);
  void remove(Bound kind, const void* handle, std::size_t size);
  /// Whoever frees it, tools too.
  template <class Object>
  static void is_gone(Watcher& self, Bound kind, Object object) {
    if (self.is_active()) self.remove(kind, &object, sizeof object);
  }

  Monitor& monitor_;
  const cairn::Frees& frees_;
  bool attributes_;
  bool sites_;
  bool samples_ = true;
  std::atomic<bool> active_{false};
  cairn::Regions regions_;
  cairn::PerThread<Thread> threads_;
  cairn::FreeListener listener_{
      this, [](void* self, MPI_Comm comm) { is_gone(*static_cast<Watcher*>(self), Bound::communicator, comm); },
      [](void* self, MPI_Win win) { is_gone(*static_cast<Watcher*>(self), Bound::window, win); }, nullptr};
};

}  // namespace vars
