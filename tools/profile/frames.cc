// SPDX-License-Identifier: BSD-3-Clause
// frames.cc - learning frame sizes from the unwinder, and walking with them

#include "frames.hpp"

#include "cairn/kit/flat_table.hpp"

#include <unwind.h>

#include <bit>
#include <cstring>

namespace profile {

namespace {

/// Looks for a frame by its return address and stack pointer, and notes the next one.
struct Search {
  const void* address;
  const char* frame;
  bool found = false;
  bool done = false;
  const void* next_address = nullptr;
  const char* next_frame = nullptr;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* data) {
  auto& search = *static_cast<Search*>(data);
  const auto* address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  const auto* frame = reinterpret_cast<const char*>(_Unwind_GetCFA(context));
  if (search.found) {
    search.next_address = address;
    search.next_frame = frame;
    search.done = address != nullptr;
    return _URC_END_OF_STACK;
  }
  search.found = address == search.address && frame == search.frame;
  return _URC_NO_REASON;
}

const void* load(const char* place) {
  const void* value = nullptr;
  std::memcpy(&value, place, sizeof value);
  return value;
}

std::size_t hash_of(const Chain& chain) {
  std::uint64_t hash = chain.length;
  for (std::size_t i = 0; i < chain.length; ++i)
    hash = cairn::spread(hash ^ reinterpret_cast<std::uintptr_t>(chain.addresses[i]));
  return hash >> 32U;
}

}  // namespace

Frames::Step& Frames::step_of(const cairn::Callers* callers, const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  Step& step = steps_[(bits ^ bits >> 10U) % step_count];
  if (step.address != address) {
    step = {};
    step.address = address;
    step.program = callers == nullptr || callers->is_program(address) != 0;
  }
  return step;
}

/// With the unwind tables; also compares what was known before.
bool Frames::learn(Step& step, Position& position) {
  Search search{.address = position.address, .frame = position.frame};
  _Unwind_Backtrace(look, &search);
  if (!search.done || search.next_frame <= position.frame) return false;
  const auto size = static_cast<std::uint32_t>(search.next_frame - position.frame);
  std::uint32_t at = size;
  while (at >= sizeof(void*) && load(position.frame + at - sizeof(void*)) != search.next_address)
    at -= static_cast<std::uint32_t>(sizeof(void*));
  if (at < sizeof(void*)) step.varies = true;
  if (step.known && (step.frame_size != size || step.return_at != at - sizeof(void*))) step.varies = true;
  step.frame_size = size;
  step.return_at = static_cast<std::uint32_t>(at - sizeof(void*));
  step.known = true;
  position = {search.next_address, search.next_frame};
  return true;
}

/// From a return address and the stack pointer there to those of the caller.
bool Frames::ascend(Step& step, Position& position) {
  constexpr std::uint32_t compared = 4;  // then at each power of two
  const std::uint32_t use = ++step.uses;
  if (!step.known || step.varies || use <= compared || std::has_single_bit(use)) return learn(step, position);
  position = {load(position.frame + step.return_at), position.frame + step.frame_size};
  return true;
}

Chain Frames::walk(const cairn::Callers* callers, const void* caller, const void* frame, std::size_t depth) {
  if (steps_ == nullptr) steps_ = std::make_unique<Step[]>(step_count);
  Chain chain;
  Position position{caller, static_cast<const char*>(frame)};
  constexpr int far_enough = 64;
  for (int i = 0; i < far_enough; ++i) {
    Step& step = step_of(callers, position.address);
    if (step.program) chain.addresses[chain.length++] = position.address;
    if (chain.length == depth || !ascend(step, position)) break;
  }
  if (chain.length == 0) chain.addresses[chain.length++] = caller;  // nothing better is known
  return chain;
}

Place Frames::number(const Chain& chain) {
  if (chain.length == 1) return reinterpret_cast<std::uintptr_t>(chain.addresses[0]);
  std::size_t i = hash_of(chain) % by_hash_.size();
  for (; by_hash_[i] != 0; i = (i + 1) % by_hash_.size()) {
    const Chain& known = chains_[by_hash_[i] - 1];
    if (known.length == chain.length && known.addresses == chain.addresses) return chain_mark | by_hash_[i];
  }
  if (chains_.size() >= Sites::limit) return 0;
  chains_.push_back(chain);
  by_hash_[i] = static_cast<std::uint32_t>(chains_.size());
  const Place place = chain_mark | chains_.size();
  if (2 * chains_.size() > by_hash_.size()) {
    by_hash_.assign(4 * by_hash_.size(), 0);
    for (std::size_t number = 1; number <= chains_.size(); ++number) {
      std::size_t slot = hash_of(chains_[number - 1]) % by_hash_.size();
      while (by_hash_[slot] != 0) slot = (slot + 1) % by_hash_.size();
      by_hash_[slot] = static_cast<std::uint32_t>(number);
    }
  }
  return place;
}

Chain Frames::chain_of(Place place) const {
  if ((place & chain_mark) != 0) return chains_[(place & ~chain_mark) - 1];
  Chain chain;
  if (place != 0) chain.addresses[chain.length++] = reinterpret_cast<const void*>(place);
  return chain;
}

}  // namespace profile
