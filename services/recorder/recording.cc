// SPDX-License-Identifier: BSD-3-Clause
// recording.cc - what is done seldom, or while a thread waits anyway

#include "recording.hpp"

namespace recorder {

void Recording::use(page::Thread& block, std::uint64_t ring_size) {
  ring_ = reinterpret_cast<page::Record*>(reinterpret_cast<char*>(&block) + page::thread_head);
  mask_ = ring_size - 1;
  block_ = &block;
}

bool Recording::begin_thread(std::int32_t id) {
  if (block_ == nullptr) return false;
  block_->id = id;
  block_->in_use.store(1, std::memory_order_release);
  head_ = block_;
  return true;
}

/// The calls of the next thread with this block follow in its ring.
void Recording::thread_ended() {
  if (head_ == nullptr) return;
  head_->inside.store(0, std::memory_order_relaxed);
  head_->in_use.store(0, std::memory_order_release);
  head_ = nullptr;
}

std::uint64_t Recording::find_site(const void* caller, const void* frame, const cairn::Callers* callers) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  if (callers == nullptr || callers->is_program(caller) != 0) {
    direct_[(address ^ address >> 7U) % direct_.size()] = address;
    return address;
  }
  return reinterpret_cast<std::uintptr_t>(walk_.walk(callers, caller, frame, 1).addresses[0]);
}

Recording::Begun Recording::begin_test(const CallFacts& call, const CallPlace& place, const cairn::Callers* callers) {
  page::Record& last = ring_[(count_ - 1) & mask_];
  const bool is_again = count_ != 0 && (last.flags & page::in_vain) != 0 && last.function == call.function &&
                        last.object == call.object && last.peer == call.peer && last.tag == call.tag &&
                        last.other == call.other && last.site == site_of(place, callers);
  if (!is_again) return begin(call, place, callers);
  const std::uint64_t outer = begin_at(place, count_);
  return {&last, count_, outer};
}

}  // namespace recorder
