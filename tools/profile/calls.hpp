// SPDX-License-Identifier: BSD-3-Clause
// calls.hpp - what is recorded of each call: the same few instructions for all MPI functions
//
// Wrappers are many and this is one: what they know at compile time they hand over as plain values.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cairn/kit/handle.hpp"
#include "cairn/kit/noted_call.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/regions.hpp"
#include "cairn/services/callers.hpp"
#include "rank_figures.hpp"
#include "shared/communicators.hpp"
#include "summary.hpp"
#include "thread.hpp"

namespace profile {

class Calls {
 public:
  /// `depth`: calling functions that make up a call site.
  Calls(cairn::Self self, const cairn::Ranks& ranks, const cairn::Frees& frees, std::size_t depth)
      : callers_(self.find<cairn::Callers>()), notes_(self), depth_(depth), communicators_(ranks, frees) {
    only_one_ = this;
    frees.listen(&listener_);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  cairn::PerThread<Thread>& threads() { return threads_; }
  Thread& mine() { return threads_.mine(); }

  /// A call begins whose notes other tools read or have made (kit/noted_call.hpp). Returns the program's frame.
  [[gnu::noinline]] const void* enter_noted(Thread& mine, UnderWay& call, cairn::NotedCall& noted, const void* frame);
  std::uint64_t leave_noted(const cairn::NotedCall& noted) { return notes_.leave(noted); }

  /// The communicator of a call; of one that has none, or failed, nothing.
  struct On {
    MPI_Comm comm = MPI_COMM_NULL;
    std::uint64_t bits = 0;

    On() = default;
    explicit On(MPI_Comm of) : comm(of), bits(cairn::handle_bits(of)) {}
  };

  /// The call is over. `frame` as cairn::Call has it.
  [[gnu::noinline]] static const CachedSite& count(Thread& mine, const UnderWay& call, std::uint64_t end, On on,
                                                   const void* frame) {
    return count_inline(mine, call, end, on, frame);
  }
  /// The same, for the few functions that are short and called often.
  [[gnu::always_inline]] static const CachedSite& count_inline(Thread& mine, const UnderWay& call, std::uint64_t end,
                                                               On on, const void* frame) {
    mine.leave(call);
    const CachedSite& known = mine.cache().first(call.key, on.bits);
    if (!known.is_of(call.key, on.bits)) [[unlikely]]
      return only_one_->count_elsewhere(mine, call, end, on, frame);
    add(known, end - call.begin);
    return known;
  }
  /// Of a call that was counted.
  static void add_sent(const CachedSite& call, std::uint64_t bytes) {
    call.on->sent.add(bytes);
    call.site->figures.add_sent(bytes);
  }
  static void add_received(const CachedSite& call, std::uint64_t bytes) {
    call.site->figures.received += bytes;
    call.on->received.add(bytes);
  }

  /// The communicator is freed or has got another name.
  void forget(MPI_Comm comm);
  void change_region(const cairn::Call<cairn::Function::MPI_Pcontrol_>& call, Thread& mine);

  // ---------------------------------------------------------- what it has come to

  std::uint64_t sum(Figure CommFigures::*figure);
  /// Calls that threads are in count as far as they have come.
  RankFigures figures(const std::string& program);
  /// These calls, which have no names yet.
  std::vector<InCall> in_calls(const std::string& program);
  /// How many threads have called MPI, and how many calls came from too many places.
  void describe_threads(Summary& summary);

 private:
  struct CallUnderWay {
    cairn::Function function;
    Chain chain;
    std::uint64_t ticks;  // so far
  };
  std::vector<CallUnderWay> under_way();
  /// Of a site that is not in its first place.
  [[gnu::noinline]] const CachedSite& count_elsewhere(Thread& mine, const UnderWay& call, std::uint64_t end, On on,
                                                      const void* frame);
  [[gnu::always_inline]] static void add(const CachedSite& call, std::uint64_t spent) {
    CommFigures& on = *call.on;
    call.site->figures.add(spent);
    ++on.calls;
    on.ticks.add(spent);
  }
  Site& site(Thread& mine, const UnderWay& call, const void* frame);
  Site::Kind kind_of(Site& site, const void* caller) const;
  void make_all_stale();
  void add_thread(RankFigures& all, Thread& thread);

  static inline Calls* only_one_ = nullptr;  // of the layer; spares each call an argument
  const cairn::Callers* callers_;            // may be null
  cairn::NotedCalls notes_;
  std::size_t depth_;
  cairn::FreeListener listener_{this, [](void* calls, MPI_Comm comm) { static_cast<Calls*>(calls)->forget(comm); },
                                nullptr, nullptr};
  cairn::Regions regions_;
  shared::Communicators communicators_;
  cairn::PerThread<Thread> threads_;
};

}  // namespace profile
