// SPDX-License-Identifier: BSD-3-Clause
// recording.hpp - what one thread records of its calls, in its ring
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cairn/kit/clock.hpp"
#include "cairn/kit/noted_call.hpp"
#include "cairn/page.hpp"
#include "cairn/services/callers.hpp"
#include "cairn/services/recorder.hpp"
#include "open_requests.hpp"
#include "shared/stack_walk.hpp"

namespace recorder {

namespace page = cairn::page;

/// What the arguments of a call tell.
struct CallFacts {
  std::uint64_t count = 0;
  std::uint64_t other = 0;
  std::uint32_t object = 0;
  std::uint32_t number = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t type = 0;
  std::uint16_t function = 0;
  std::uint16_t flags = 0;
};

/// Where unwinding the caller's stack begins.
struct StackPlace {
  const void* caller;  // as Call has them
  const void* frame;
  const void* outer_frame;  // the caller's frame pointer
};

/// Where and when a call comes.
struct CallPlace {
  StackPlace stack;
  std::uint64_t site;    // return address in the program
  std::uint64_t moment;  // if a tool above has read the clock; else 0
};

class Recording {
 public:
  /// A call under way.
  struct Begun {
    page::Record* record;
    std::uint64_t number;  // from 1
    std::uint64_t outer;   // call that it is within, from 1; 0: none
    std::uint64_t entry = 0;
  };

  bool is_ready() const { return head_ != nullptr; }
  /// A thread that has no block yet, and may get one.
  bool is_new() const { return block_ == nullptr && !is_left_out_; }
  void use(page::Thread& block, std::uint64_t ring_size);
  void leave_out() { is_left_out_ = true; }
  /// The thread of that id has the block from here on: the first one, or the next after it has ended.
  bool begin_thread(std::int32_t id);
  void thread_ended();

  [[gnu::always_inline]] Begun begin(const CallFacts& call, const CallPlace& place) {
    const std::uint64_t index = count_++;
    page::Record& record = ring_[index & mask_];
    Begun under_way = begun(record, place.stack, index + 1);
    record.exit = 0;
    fill(record, call);
    record.site = place.site;
    enter(under_way, place.moment != 0 ? place.moment : cairn::ticks_now());
    record.entry = under_way.entry;
    show();
    return under_way;
  }
  /// Before any calls.
  static void add_reader(cairn::RecordReader& reader) {
    reader.next = readers_;
    readers_ = &reader;
  }

  [[gnu::always_inline]] std::uint64_t site_of(const void* caller, const void* frame, const cairn::Callers* callers) {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    const bool is_program = direct_[(address ^ address >> 7U) % direct_.size()] == address;
    return is_program ? address : find_site(caller, frame, callers);
  }

  /// Whether other tools leave or read notes of calls (kit/noted_call.hpp).
  bool has_notes() const { return notes_.are_read(); }
  void begin_notes(const cairn::NotedCalls& all) { all.begin(notes_); }
  /// Returns the site.
  std::uint64_t enter_noted(const cairn::NotedCalls& all, cairn::NotedCall& call, const void* caller, const void* frame,
                            const cairn::Callers* callers);

  /// The same for a test; one that asks again what was in vain is the same record.
  Begun begin_test(const CallFacts& call, const CallPlace& place);

  [[gnu::always_inline]] void end(const Begun& begun, std::uint16_t function, std::uint64_t moment,
                                  std::uint16_t more_flags) {
    count(figures_[function], moment - begun.entry, begun.outer == 0);
    if (count_ - begun.number > mask_) [[unlikely]]
      return leave(begun);  // calls within it have taken its place
    begun.record->flags |= more_flags;
    __atomic_store_n(&begun.record->exit, moment, __ATOMIC_RELEASE);
    leave(begun);
  }

  /// As long as it asks in vain, nothing has happened. Returns the call, whose record may be another one then.
  Begun end_test(Begun begun, std::uint16_t function, std::uint64_t moment, bool in_vain) {
    if (!in_vain && begun.record->number != 0 && is_made_in_turn(begun)) [[unlikely]]
      begun = take_out(begun);
    if (!in_vain)
      begun.record->flags &= static_cast<std::uint16_t>(~page::in_vain);  // else it never lacks it: readers look
    end(begun, function, moment, in_vain ? page::in_vain : 0);
    return begun;
  }

  page::Thread& head() { return *head_; }
  /// Of requests in a long array (request_notes.hpp).
  using Places = std::array<std::size_t, page::Thread::most_waited_for>;
  Places& places() { return places_; }

  /// Tells more of a call (page.hpp). Only `exit` of the call itself may come later.
  page::Record& begin_detail(page::Detail what, const Begun& of) {
    page::Record& record = ring_[count_ & mask_];
    record = {};
    record.function = what;
    record.entry = of.number;
    record.exit = 1;
    return record;
  }
  /// What it tells names an object that the call has made: readers compare moments, since the object may have taken the
  /// place of another one.
  page::Record& begin_detail_of_made(page::Detail what, const Begun& of) {
    page::Record& record = begin_detail(what, of);
    record.exit = cairn::ticks_now();
    return record;
  }
  void end_detail() {
    ++count_;
    show();
  }
  void tell_region(std::uint64_t region, std::int32_t layer);

 private:
  std::uint64_t find_series(const CallFacts& call, std::uint64_t site) const;
  void look_at_pause(page::Record& series);
  bool is_made_in_turn(const Begun& test) const;
  Begun take_out(const Begun& test);

  void enter(Begun& call, std::uint64_t moment) {
    call.entry = moment;
    if (call.outer == 0) [[likely]]
      head_->in_mpi.store(in_mpi_ - moment, std::memory_order_relaxed);
  }
  void count(page::Figures& figures, std::uint64_t ticks, bool is_outermost) {
    add(figures.calls, 1);
    add(figures.ticks, ticks);
    if (!is_outermost) return;
    in_mpi_ += ticks;
    head_->in_mpi.store(in_mpi_, std::memory_order_relaxed);
  }
  /// No other thread writes it.
  static void add(std::atomic<std::uint64_t>& figure, std::uint64_t more) {
    figure.store(figure.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  /// What is recorded so far to readers.
  [[gnu::always_inline]] void show() {
    head_->count.store(count_, std::memory_order_release);
    if (count_ >= full_at_) [[unlikely]]
      wake_readers();
  }
  void wake_readers();
  std::uint64_t find_site(const void* caller, const void* frame, const cairn::Callers* callers);
  void leave(const Begun& begun) {
    head_->inside.store(begun.outer, std::memory_order_relaxed);
    if (begun.outer != 0) [[unlikely]]
      return_to_outer();
  }

  void set_place(const StackPlace& place) {
    head_->pc = reinterpret_cast<std::uintptr_t>(place.caller);
    head_->sp = reinterpret_cast<std::uintptr_t>(place.frame);
    head_->fp = reinterpret_cast<std::uintptr_t>(place.outer_frame);
  }

  [[gnu::always_inline]] Begun begun(page::Record& record, const StackPlace& place, std::uint64_t number) {
    std::uint64_t outer = head_->inside.load(std::memory_order_relaxed);
    if (outer != 0) [[unlikely]]
      outer = enter_from(outer, place.frame);
    set_place(place);
    head_->inside.store(number, std::memory_order_relaxed);
    return {&record, number, outer};
  }
  std::uint64_t enter_from(std::uint64_t outer, const void* frame);
  void close_all(std::uint64_t innermost);
  void close(std::uint64_t left);
  void return_to_outer();

  [[gnu::always_inline]] static void fill(page::Record& record, const CallFacts& call) {
    record.count = call.count;
    record.other = call.other;
    record.object = call.object;
    record.number = call.number;
    record.peer = call.peer;
    record.tag = call.tag;
    record.type = call.type;
    record.function = call.function;
    record.flags = call.flags;
  }

  page::Thread* head_ = nullptr;   // null: no thread has the block
  page::Thread* block_ = nullptr;  // null: there is none
  bool is_left_out_ = false;       // there is no room for one
  page::Figures* figures_ = nullptr;
  std::uint64_t in_mpi_ = 0;  // ticks in calls that have ended and are within no other
  page::Record* ring_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t full_at_ = 0;  // a quarter of the ring since readers were last woken
  static inline cairn::RecordReader* readers_ = nullptr;
  cairn::NotedCalls::Thread notes_;
  Places places_{};
  std::array<std::uint64_t, 64> direct_{};  // callers that are the program's code
  shared::StackWalk walk_;
  struct OuterCall {
    std::uint64_t number;
    StackPlace place;
  };
  /// What the thread did in long pauses between tests in vain, of one thing or of several in turn.
  struct Pauses {
    std::uint64_t after = 0;      // so many records; 0: none
    std::uint64_t since_ns = 0;   // of the system's clock, at the first look; the others then:
    std::uint64_t worked_ns = 0;  // the process's processor time
    std::uint64_t sleeps = 0;     // of the thread
    std::uint64_t blocks = 0;     // of files that it has read and written
    std::uint32_t looks = 0;
  };
  Pauses pauses_;
  std::array<OuterCall, 4> outer_calls_{};  // that others are within: callbacks
  std::size_t depth_ = 0;
};

}  // namespace recorder
