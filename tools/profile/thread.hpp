// SPDX-License-Identifier: BSD-3-Clause
// thread.hpp - everything that one thread records: its call sites by region, its communicators, its transfers
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <deque>
#include <vector>

#include "cairn/kit/flat_table.hpp"
#include "cairn/kit/noted_call.hpp"
#include "cairn/kit/regions.hpp"
#include "chains.hpp"
#include "record.hpp"
#include "shared/communicators.hpp"

namespace profile {

/// What calls on the communicators of one group have come to, in one thread; any thread may read it.
struct CommFigures {
  Figure calls;
  Figure ticks;
  Figure sent;      // bytes
  Figure received;  // bytes
  CommFigures* next = nullptr;
};

/// The entries of a call site on a communicator, as an earlier call of the thread has found them.
struct CachedSite {
  std::uint64_t key = 0;   // of function and return address; 0: never to be found
  std::uint64_t comm = 0;  // handle_bits; 0: none
  Site* site = nullptr;
  CommFigures* on = nullptr;

  bool is_of(std::uint64_t of_key, std::uint64_t of_comm) const { return key == of_key && comm == of_comm; }
};

/// Those of the latest calls. A key has two places, so that two sites in one loop do not displace each other.
class SiteCache {
 public:
  CachedSite& first(std::uint64_t key, std::uint64_t comm) { return places_[index_of(key, comm)]; }
  CachedSite& second(std::uint64_t key, std::uint64_t comm) { return places_[index_of(key, comm) ^ 1U]; }

 private:
  static std::size_t index_of(std::uint64_t key, std::uint64_t comm) {
    return static_cast<std::size_t>(cairn::spread(key ^ comm >> 4U) >> (64 - bits));
  }

  static constexpr unsigned bits = 7;
  std::array<CachedSite, std::size_t{1} << bits> places_{};
};

/// Nothing is ever found in it, and nothing written to it.
inline constinit SiteCache empty_cache;

/// A part of the program: a region, or a level of MPI_Pcontrol (cairn/kit/regions.hpp).
struct Part {
  cairn::Regions::Number region;
  std::uint64_t visits = 0;  // how often it began
  std::uint64_t ticks = 0;   // in it, and not in a region within it
  Sites sites;
  SiteCache cache = {};
};

/// A call that a thread is in: on the stack of its wrapper, so that calls within calls (callbacks) are found again.
struct UnderWay {
  UnderWay(cairn::Function called, const void* from)
      : key(Sites::key_of(called, reinterpret_cast<std::uintptr_t>(from))) {}

  const UnderWay* outer;
  std::uint64_t key;  // of function and return address
  std::uint64_t begin;
  cairn::Function function() const { return Sites::function_of(key); }
  const void* caller() const { return reinterpret_cast<const void*>(Sites::place_of(key)); }
};

/// Calls that are not the program's.
struct ToolTotals {
  shared::Figure calls;
  shared::Figure ticks;
  shared::Figure sent;  // bytes
};

class Thread {
 public:
  std::atomic<const UnderWay*> inside{nullptr};  // the innermost call; first, as every call writes it twice
  ToolTotals of_tools;                           // calls that tools above make for themselves
  shared::StackWalk walk;
  Chains chains;
  cairn::Regions::Thread regions;
  cairn::NotedCalls::Thread notes;
  std::uint64_t started_sent = 0;      // bytes of persistent requests that the call under way starts
  std::uint64_t started_received = 0;  // by collective ones
  std::uintptr_t self = 0;             // the thread that records here now

  Thread() = default;
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  static std::uintptr_t this_thread() { return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer()); }

  /// A call begins; `call` has all but this.
  void enter(UnderWay& call) {
    put_inside(call);
    call.begin = ticks_now();
  }
  void enter(UnderWay& call, std::uint64_t begin) {
    call.begin = begin;
    put_inside(call);
  }
  void leave(const UnderWay& call) { inside.store(call.outer, std::memory_order_relaxed); }

  /// Of the part that the thread is in, or the empty one.
  SiteCache& cache() const { return *cache_.load(std::memory_order_relaxed); }
  /// What is cached may no longer be true. From any thread; heard at the thread's next call.
  void make_stale() { cache_.store(&empty_cache, std::memory_order_release); }
  bool is_stale() const { return &cache() == &empty_cache; }

  /// The part of a region, in which the thread is now.
  Part& part(cairn::Regions::Number region) {
    if (region != current_->region) [[unlikely]]
      enter(region, ticks_now());
    return *current_;
  }
  Part& part() { return *current_; }
  std::deque<Part>& parts() { return parts_; }
  const std::deque<Part>& parts() const { return parts_; }

  /// For the thread that loads the stack: it is in a region from the run's start on, not from its first call on.
  void begin(std::uint64_t now) { since_ = now; }

  /// The time since the last change of region goes to the part; when the figures are wanted.
  void settle(std::uint64_t now) {
    if (since_ != 0) current_->ticks += now - since_;
    since_ = now;
  }

  /// After make_stale: `first` is the next call's begin.
  [[gnu::noinline, gnu::cold]] void refresh(cairn::Regions::Number region, std::uint64_t first) {
    cache_.exchange(&current_->cache, std::memory_order_acquire);  // first: it may become stale again meanwhile
    if (since_ == 0) since_ = first;                               // the thread's first call of MPI
    self = this_thread();
    for (Part& part : parts_) part.cache = {};
    this->part(region);
  }

  /// For calls that are new when memory is out.
  const CachedSite& lost() const { return lost_; }
  std::uint64_t lost_calls() const { return lost_site_.figures.calls; }

  CommFigures& on_communicator(MPI_Comm comm, shared::Communicators& all) {
    if (comm == MPI_COMM_NULL) return no_comm_;
    const shared::Communicators::Number number = all.number_of(comm);
    if (number >= by_number_.size()) by_number_.resize(number + 1);
    if (by_number_[number] == nullptr) by_number_[number] = &add_communicator();
    return *by_number_[number];
  }
  /// Null: no calls on it.
  const CommFigures* on(shared::Communicators::Number number) const {
    return number < by_number_.size() ? by_number_[number] : nullptr;
  }
  /// Over all calls; on any thread.
  std::uint64_t sum(Figure CommFigures::*figure) const {
    std::uint64_t total = 0;
    for (const CommFigures* one = all_.load(std::memory_order_acquire); one != nullptr; one = one->next)
      total += one->*figure;
    return total;
  }

  /// The next thread that records here begins anew.
  void thread_ended() {
    notes.ended();
    regions = {};
    settle(ticks_now());
    since_ = 0;
    make_stale();
    inside = nullptr;
  }

 private:
  void put_inside(UnderWay& call) {
    const UnderWay* const outer = inside.load(std::memory_order_relaxed);
    call.outer = outer > &call ? outer : nullptr;  // one that was left by a jump lies below
    inside.store(&call, std::memory_order_release);
  }
  void enter(cairn::Regions::Number region, std::uint64_t now) {
    settle(now);
    if (region >= by_region_.size()) by_region_.resize(region + 1);
    Part*& place = by_region_[region];
    if (region == cairn::Regions::outside) place = &parts_.front();
    if (place == nullptr) place = &add(region);
    SiteCache* before = &current_->cache;
    current_ = place;
    cache_.compare_exchange_strong(before, &place->cache);  // a stale one stays so
  }
  Part& add(cairn::Regions::Number region) { return parts_.emplace_back(Part{region, 0, 0, Sites(site_count_, this)}); }

  std::size_t site_count_ = 0;
  std::deque<Part> parts_;
  std::vector<Part*> by_region_;
  Part* current_ = &add(cairn::Regions::outside);
  std::atomic<SiteCache*> cache_{&empty_cache};
  std::uint64_t since_ = 0;
  CommFigures& add_communicator() {
    CommFigures& made = comms_.emplace_back();
    made.next = all_.load(std::memory_order_relaxed);
    all_.store(&made, std::memory_order_release);
    return made;
  }

  CommFigures no_comm_;  // of calls without one
  Site lost_site_{{}, cairn::Function::count, 0, this, Site::direct};
  const CachedSite lost_{0, 0, &lost_site_, &no_comm_};
  std::deque<CommFigures> comms_;
  std::vector<CommFigures*> by_number_;
  std::atomic<CommFigures*> all_{&no_comm_};
};

}  // namespace profile
