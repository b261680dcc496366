// SPDX-License-Identifier: BSD-3-Clause
// heard_tau.cc - functions of TAU that mark regions, in C; what its headers for C++ and its Fortran interface call.

#include <cstring>

#include "runtime/annotations.hpp"

namespace cairn {

namespace {

std::atomic<void*> real_Tau_profile_get_name{nullptr};
std::atomic<void*> real_Tau_get_thread{nullptr};

/// TAU's own timer around all others begins at some call of the program.
bool is_own(const char* name) { return name == nullptr || std::strncmp(name, ".TAU ", 5) == 0; }

void begin(const char* name) {
  if (!is_own(name)) begin_region(name);
}

void end(const char* name) {
  if (!is_own(name)) end_region(name);
}

template <class Function>
Function* as(const std::atomic<void*>& real) {
  return reinterpret_cast<Function*>(real.load(std::memory_order_relaxed));
}

/// Of a timer, which only TAU knows; null: a group of timers that is off.
const char* name_of(void* timer) {
  auto* const ask = as<const char*(void*)>(real_Tau_profile_get_name);
  return timer == nullptr || ask == nullptr ? nullptr : ask(timer);
}

/// TAU can keep timers of other threads and of tasks, which are no regions of the caller.
bool is_this_thread(int thread) {
  auto* const ask = as<int()>(real_Tau_get_thread);
  const WithinAnnotation within;
  return ask == nullptr || ask() == thread;
}

void start_timer(void* timer) { begin(name_of(timer)); }

void stop_timer(void* timer) { end(name_of(timer)); }

void stop_timer_of(void* timer, int thread) {
  if (is_this_thread(thread)) stop_timer(timer);
}

void start_timer_of(void* timer, int thread) {
  if (is_this_thread(thread)) start_timer(timer);
}

// clang-format off
#define CAIRN_HEARD_OF_TAU(X) \
  X(Tau_start, (const char* name), (name), begin(name)) \
  X(Tau_stop, (const char* name), (name), end(name)) \
  X(Tau_pure_start, (const char* name), (name), begin(name)) \
  X(Tau_pure_stop, (const char* name), (name), end(name)) \
  X(Tau_pure_start_task, (const char* name, int thread), (name, thread), if (is_this_thread(thread)) begin(name)) \
  X(Tau_pure_stop_task, (const char* name, int thread), (name, thread), if (is_this_thread(thread)) end(name)) \
  X(Tau_static_phase_start, (const char* name), (name), begin(name)) \
  X(Tau_static_phase_stop, (const char* name), (name), end(name)) \
  X(Tau_dynamic_start, (const char* name, int is_phase), (name, is_phase), begin(name)) \
  X(Tau_dynamic_stop, (const char* name, int is_phase), (name, is_phase), end(name)) \
  X(Tau_lite_start_timer, (void* timer, int is_phase), (timer, is_phase), start_timer(timer)) \
  X(Tau_lite_stop_timer, (void* timer), (timer), stop_timer(timer)) \
  X(Tau_start_timer, (void* timer, int is_phase, int thread), (timer, is_phase, thread), start_timer_of(timer, thread)) \
  X(Tau_stop_timer, (void* timer, int thread), (timer, thread), stop_timer_of(timer, thread)) \
  X(Tau_stop_current_timer, (), (), end_innermost_region())
// clang-format on

CAIRN_HEARD_OF_TAU(CAIRN_HEARD_DEFINE)

const HeardFunction functions_of_tau[] = {
    CAIRN_HEARD_OF_TAU(CAIRN_HEARD_ROW)  //
    {"Tau_profile_get_name", nullptr, &real_Tau_profile_get_name},
    {"Tau_get_thread", nullptr, &real_Tau_get_thread},
};

}  // namespace

std::span<const HeardFunction> tau_functions() { return functions_of_tau; }

}  // namespace cairn
