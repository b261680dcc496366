// SPDX-License-Identifier: BSD-3-Clause
// stack_walk.cc - learning frame sizes from the unwinder, and walking with them

#include "shared/stack_walk.hpp"

#include <unwind.h>

#include <bit>
#include <cstring>
#include <new>

namespace shared {

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

/// A call that may be one of those around.
struct Outer {
  const void* address;
  const char* frame;
  bool is_around = true;  // unless there is another one in its place
};

_Unwind_Reason_Code compare(_Unwind_Context* context, void* data) {
  auto& outer = *static_cast<Outer*>(data);
  const auto* frame = reinterpret_cast<const char*>(_Unwind_GetCFA(context));
  if (frame < outer.frame) return _URC_NO_REASON;
  outer.is_around = frame == outer.frame && reinterpret_cast<const void*>(_Unwind_GetIP(context)) == outer.address;
  return _URC_END_OF_STACK;
}

const void* load(const char* place) {
  const void* value = nullptr;
  std::memcpy(&value, place, sizeof value);
  return value;
}

}  // namespace

bool is_within(const void* caller, const void* frame) {
  Outer outer{caller, static_cast<const char*>(frame)};
  _Unwind_Backtrace(compare, &outer);
  return outer.is_around;
}

StackWalk::Step& StackWalk::step_of(const cairn::Callers* callers, const void* address) {
  if (steps_ == nullptr) steps_ = std::make_unique<Step[]>(step_count);
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t home = bits ^ bits >> 10U;
  for (std::size_t place = home; place != home + neighbors; ++place) {
    Step& step = steps_[place % step_count];
    if (step.address == address) return step;
    if (step.address == nullptr) return begin(step, callers, address);
  }
  return begin(steps_[home % step_count], callers, address);
}

StackWalk::Step& StackWalk::begin(Step& step, const cairn::Callers* callers, const void* address) {
  step = {};
  step.address = address;
  step.program = callers == nullptr || callers->is_program(address);
  return step;
}

/// With the unwind tables; also compares what was known before.
bool StackWalk::learn(Step& step, Position& position) {
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
bool StackWalk::ascend(Step& step, Position& position) {
  constexpr std::uint32_t compared = 4;  // then at each power of two
  const std::uint32_t use = ++step.uses;
  if (!step.known || step.varies || use <= compared || std::has_single_bit(use)) return learn(step, position);
  position = {load(position.frame + step.return_at), position.frame + step.frame_size};
  return true;
}

/// Ascends to the next frame of the program's code, from the position's own on.
bool StackWalk::find_program(const cairn::Callers* callers, Position& position, int& steps) {
  for (; steps < far_enough; ++steps) {
    Step& step = step_of(callers, position.address);
    if (step.program) return true;
    if (!ascend(step, position)) return false;
  }
  return false;
}

Chain StackWalk::walk(const cairn::Callers* callers, const void* caller, const void* frame, std::size_t depth) {
  Chain chain;
  Position position{caller, static_cast<const char*>(frame)};
  for (int steps = 0; find_program(callers, position, steps); ++steps) {
    chain.addresses[chain.length++] = position.address;
    if (chain.length == depth || !ascend(step_of(callers, position.address), position)) break;
  }
  if (chain.length == 0) chain.addresses[chain.length++] = caller;  // nothing better is known
  return chain;
}

bool StackWalk::find_caller(const cairn::Callers* callers, const void*& caller, const void*& frame) try {
  Position position{caller, static_cast<const char*>(frame)};
  int steps = 0;
  if (!find_program(callers, position, steps)) return false;
  caller = position.address;
  frame = position.frame;
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace shared
