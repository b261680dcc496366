// SPDX-License-Identifier: BSD-3-Clause
// noted_call.hpp - where a call comes from and when it begins and ends, found out once for all tools of the stack
//
//   cairn::NotedCalls notes_{self};                             // in the tool
//   cairn::NotedCalls::Thread notes;                            // in its data of a thread
//   notes_.begin(mine.notes);                                   // at the thread's first call
//
//   cairn::NotedCall now;                                       // in a handler, if (mine.notes.are_read())
//   notes_.enter(mine.notes, now, call.caller(), frame, find);  // now.caller and now.frame are the program's
//   const auto result = call.proceed();                         // now.begin is set
//   const std::uint64_t end = notes_.leave(now);
//
// A tool that is alone pays nothing: nobody reads its notes. Each further tool is spared a walk over the stack and two
// readings of the clock. Any thread; nothing here calls MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cairn/kit/clock.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/call_notes.hpp"
#include "cairn/services/callers.hpp"

namespace cairn {

/// One per call, in the handler's frame.
struct NotedCall {
  const void* caller;
  const void* frame;
  std::uint64_t begin;

 private:
  friend class NotedCalls;
  bool is_continued;  // a tool above, of the same group, has begun the note
  bool is_within;     // another call, as in a callback
  CallNote before;    // of that one
};

class NotedCalls {
 public:
  /// What a tool knows of a thread's calls; one per thread.
  class Thread {
   public:
    /// Whether other tools read the notes. False before begin().
    bool are_read() const { return are_read_; }
    void ended() {
      are_read_ = false;
      latest_ = 0;
    }

   private:
    friend class NotedCalls;
    struct Known {
      std::uintptr_t address = 0;
      CallerKind kind = CallerKind::other;
    };
    bool are_read_ = false;
    std::uint64_t latest_ = 0;  // number of the latest note that the tool has read or begun
    std::array<Known, 64> callers_{};
  };

  explicit NotedCalls(Self self) : callers_(self.find<Callers>()), service_(self.find<CallNotes>()) {
    if (service_ != nullptr) group_ = service_->join(&self.raw());
  }

  void begin(Thread& thread) const {
    thread.are_read_ = service_ != nullptr && service_->tools->load(std::memory_order_relaxed) > 1;
  }

  /// `caller` and `frame` as Call has them. `find(call)`: sets caller and frame to the program's, by walking the stack;
  /// false if it cannot.
  template <class Find>
  [[gnu::noinline]] void enter(Thread& thread, NotedCall& call, const void* caller, const void* frame,
                               Find find) const {
    call.caller = caller;
    call.frame = frame;
    auto& [note, numbers] = here();
    const CallerKind kind = kind_of(thread, caller);
    // A note that the tool has seen already is of the call that this one is within.
    const bool is_of_call = kind == CallerKind::layer && note.group != 0 && note.number > thread.latest_;
    const bool is_site_known = is_of_call && note.site != nullptr;
    if (is_site_known) {
      call.caller = note.site;
      call.frame = note.frame;
    }
    call.is_within = false;
    call.is_continued = is_of_call && note.group == group_;
    if (!call.is_continued) {
      call.is_within = note.group != 0;
      if (call.is_within) call.before = note;
      if (!is_of_call) note.number = ++numbers;
      if (!is_site_known) {
        note.site = kind == CallerKind::program || find(call) ? call.caller : nullptr;
        note.frame = call.frame;
      }
      note.group = group_;
      note.end = 0;
      note.begin = ticks_now();
    }
    thread.latest_ = note.number;
    call.begin = note.begin;
  }

  /// When it has ended.
  std::uint64_t leave(const NotedCall& call) const {
    CallNote& note = here().note;
    const std::uint64_t end = note.end != 0 ? note.end : ticks_now();
    if (call.is_continued) note.end = end;
    else if (call.is_within) note = call.before;
    else note.group = 0;
    return end;
  }

 private:
  ThreadNotes& here() const {
    return *reinterpret_cast<ThreadNotes*>(static_cast<char*>(__builtin_thread_pointer()) + service_->place);
  }

  CallerKind kind_of(Thread& thread, const void* caller) const {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    Thread::Known& known = thread.callers_[(address ^ address >> 7U) % thread.callers_.size()];
    if (known.address != address) known = {address, callers_->kind(caller)};
    return known.kind;
  }

  const Callers* callers_;
  const CallNotes* service_;
  int group_ = 0;
};

}  // namespace cairn
