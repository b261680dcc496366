// SPDX-License-Identifier: BSD-3-Clause
// recording.cc - what is done seldom, or while a thread waits anyway

#include "recording.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace recorder {

void Recording::use(page::Thread& block, std::uint64_t ring_size) {
  char* const at = reinterpret_cast<char*>(&block);
  figures_ = reinterpret_cast<page::Figures*>(at + page::figures_at);
  ring_ = reinterpret_cast<page::Record*>(at + page::thread_head);
  mask_ = ring_size - 1;
  block_ = &block;
  full_at_ = ring_size / 4;
}

[[gnu::noinline, gnu::cold]] void Recording::wake_readers() {
  full_at_ = count_ + (mask_ + 1) / 4;
  for (const cairn::RecordReader* reader = readers_; reader != nullptr; reader = reader->next)
    reader->wake(reader->tool);
}

bool Recording::begin_thread(std::int32_t id) {
  if (block_ == nullptr) return false;
  const std::int32_t before = std::exchange(block_->id, id);
  block_->in_use.store(1, std::memory_order_release);
  head_ = block_;
  if (count_ == 0) return true;
  page::Record& told = begin_detail(page::thread_begun, {nullptr, 0, 0});
  told.tag = id;
  told.peer = before;
  end_detail();
  return true;
}

/// The calls of the next thread with this block follow in its ring.
void Recording::thread_ended() {
  notes_.ended();
  if (head_ == nullptr || gettid() == getpid()) return;  // the process ends, or a child that shares the page
  if (const std::uint64_t under_way = head_->inside.load(std::memory_order_relaxed); under_way != 0)
    close_all(under_way);
  head_->inside.store(0, std::memory_order_relaxed);
  head_->in_mpi.store(in_mpi_, std::memory_order_relaxed);
  head_->in_use.store(0, std::memory_order_release);
  head_ = nullptr;
}

/// A call that was left by a jump out of an error handler is over: what is called later lies no deeper on the stack, or
/// has written over its return address. Returns the outer call, 0 if it is over.
std::uint64_t Recording::enter_from(std::uint64_t outer, const void* frame) {
  const std::uintptr_t sp = head_->sp;
  bool is_within = reinterpret_cast<std::uintptr_t>(frame) < sp;
#if defined(__x86_64__)
  is_within = is_within && reinterpret_cast<const std::uint64_t*>(sp)[-1] == head_->pc;
#endif
  if (!is_within) {
    close_all(outer);
    return 0;
  }
  if (depth_ < outer_calls_.size())
    outer_calls_[depth_] = {outer,
                            {reinterpret_cast<const void*>(head_->pc), reinterpret_cast<const void*>(sp),
                             reinterpret_cast<const void*>(head_->fp)}};
  ++depth_;
  return outer;
}

/// And those that it was within. When they were left, nobody knows.
void Recording::close_all(std::uint64_t innermost) {
  close(innermost);
  for (std::size_t i = 0; i < std::min(depth_, outer_calls_.size()); ++i) close(outer_calls_[i].number);
  depth_ = 0;
}

void Recording::close(std::uint64_t left) {
  if (count_ - left > mask_) return;  // later calls have taken its place
  page::Record& record = ring_[(left - 1) & mask_];
  if (record.exit != 0) return;
  record.flags |= page::failed;
  __atomic_store_n(&record.exit, record.entry, __ATOMIC_RELEASE);
}

void Recording::return_to_outer() {
  if (depth_ == 0) return;
  if (--depth_ < outer_calls_.size()) set_place(outer_calls_[depth_].place);
}

std::uint64_t Recording::find_site(const void* caller, const void* frame, const cairn::Callers* callers) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  const void* found = caller;
  if (!walk_.find_caller(callers, found, frame)) return address;  // nothing better is known
  if (found == caller) direct_[(address ^ address >> 7U) % direct_.size()] = address;
  return reinterpret_cast<std::uintptr_t>(found);
}

std::uint64_t Recording::enter_noted(const cairn::NotedCalls& all, cairn::NotedCall& call, const void* caller,
                                     const void* frame, const cairn::Callers* callers) {
  all.enter(notes_, call, caller, frame,
            [&](cairn::NotedCall& found) { return walk_.find_caller(callers, found.caller, found.frame); });
  return reinterpret_cast<std::uintptr_t>(call.caller);
}

void Recording::tell_region(std::uint64_t region, std::int32_t layer) {
  page::Record& told = begin_detail(page::region_changed, {nullptr, count_, 0});
  told.other = cairn::ticks_now();
  told.count = region;
  told.tag = layer;
  end_detail();
}

/// In ticks, some 20 to 65 us, and four times as long: a look at what the thread did, two system calls, takes less than a hundredth
/// of the one after every eighth pause, and of the other after each.
constexpr std::uint64_t long_pause = 1U << 16U;
constexpr std::uint64_t very_long_pause = 1U << 18U;

/// Its number, from 1, among the last tests, all in vain; 0: there is none.
std::uint64_t Recording::find_series(const CallFacts& call, std::uint64_t site) const {
  for (std::uint64_t number = count_; number != 0 && count_ - number < page::tests_in_turn; --number) {
    const page::Record& one = ring_[(number - 1) & mask_];
    if ((one.flags & page::in_vain) == 0) return 0;
    if (one.function == call.function && one.object == call.object && one.peer == call.peer && one.tag == call.tag &&
        one.other == call.other && one.site == site)
      return number;
  }
  return 0;
}

Recording::Begun Recording::begin_test(const CallFacts& call, const CallPlace& place) {
  const std::uint64_t number = find_series(call, place.site);
  if (number == 0) return begin(call, place);
  page::Record& series = ring_[(number - 1) & mask_];
  ++series.number;
  Begun under_way = begun(series, place.stack, number);
  enter(under_way, place.moment != 0 ? place.moment : cairn::ticks_now());
  const std::uint64_t pause = under_way.entry - series.exit;
  series.count += pause;
  if (pause >= long_pause && (pause >= very_long_pause || series.number % 8 == 0)) [[unlikely]]
    look_at_pause(series);
  return under_way;
}

/// A thread that asks, sleeps, and asks again does nothing but wait: unless other threads of the process work, it was
/// kept from a processor, or sleeps for its own reads and writes of files.
[[gnu::noinline, gnu::cold]] void Recording::look_at_pause(page::Record& series) {
  constexpr std::uint32_t pauses_known = 3;  // fewer may be a sleep that stands for itself
  constexpr std::uint64_t asleep_if_below = 4;
  rusage thread{};
  if (getrusage(RUSAGE_THREAD, &thread) != 0) return;
  const Pauses now = {count_,
                      cairn::nanoseconds_now(),
                      cairn::nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID),
                      static_cast<std::uint64_t>(thread.ru_nvcsw),
                      static_cast<std::uint64_t>(thread.ru_inblock) + static_cast<std::uint64_t>(thread.ru_oublock),
                      0};
  if (pauses_.after != count_) pauses_ = now;
  if (++pauses_.looks <= pauses_known) return;
  const bool is_asleep = (now.worked_ns - pauses_.worked_ns) * asleep_if_below < now.since_ns - pauses_.since_ns &&
                         (now.sleeps - pauses_.sleeps) * page::tests_in_turn >= pauses_.looks - 1 &&
                         now.blocks == pauses_.blocks;
  series.flags = static_cast<std::uint16_t>(is_asleep ? series.flags | page::asleep : series.flags & ~page::asleep);
}

/// With the test after it, or the one before, which has been made again since this one was made first.
bool Recording::is_made_in_turn(const Begun& test) const {
  if (count_ != test.number) return (ring_[test.number & mask_].flags & page::in_vain) != 0;
  if (test.number < 2) return false;
  const page::Record& before = ring_[(test.number - 2) & mask_];
  return (before.flags & page::in_vain) != 0 && before.exit > test.record->entry;
}

/// The test becomes a record of its own, after all of its series, which is again what it was before it.
[[gnu::noinline]] Recording::Begun Recording::take_out(const Begun& test) {
  page::Record& series = *test.record;
  --series.number;
  series.count -= test.entry - series.exit;
  page::Record& record = ring_[count_ & mask_];
  record = series;
  record.entry = test.entry;
  record.exit = 0;
  record.count = 0;
  record.number = 0;
  record.flags &= static_cast<std::uint16_t>(~page::asleep);
  ++count_;
  head_->inside.store(count_, std::memory_order_relaxed);
  show();
  return {&record, count_, test.outer, test.entry};
}

}  // namespace recorder
