// SPDX-License-Identifier: BSD-3-Clause
// annotations.hpp - regions that the program marks for other tools: heard as those of cairn/region.h.
#pragma once

#include <atomic>
#include <span>

#include "stack/heard_functions.hpp"

namespace cairn {

/// Of Caliper and of TAU.
std::span<const HeardFunction> caliper_functions();
std::span<const HeardFunction> tau_functions();

/// Objects that came after `before` are heard.
void link_annotations(const LoadedSnapshot& before);

/// What these libraries call of themselves is not the program's.
class WithinAnnotation {
 public:
  WithinAnnotation();
  ~WithinAnnotation();
  WithinAnnotation(const WithinAnnotation&) = delete;
  WithinAnnotation& operator=(const WithinAnnotation&) = delete;
  static bool is_here();
};

// On the calling thread. Null for a name: nothing is heard.
void begin_region(const char* name, const void* owner = nullptr);
void end_region(const char* name);
void end_innermost_region();
void end_region_of(const void* owner);
void begin_value(const char* key, const char* value);
void set_value(const char* key, const char* value);
void end_value(const char* key);

}  // namespace cairn

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and statements
/// In a list HEARD_LIST(X) of X(name, (parameters), (arguments), what is heard): the functions, then a line in a table.
/// What the function gives back, if anything, goes back to the program.
#define CAIRN_HEARD_DEFINE(name, parameters, arguments, heard)      \
  std::atomic<void*> real_##name{nullptr};                          \
  long on_##name parameters {                                       \
    if (!WithinAnnotation::is_here()) heard;                        \
    const WithinAnnotation within;                                  \
    void* const real = real_##name.load(std::memory_order_relaxed); \
    return reinterpret_cast<long(*) parameters>(real) arguments;    \
  }
#define CAIRN_HEARD_ROW(name, parameters, arguments, heard) {#name, reinterpret_cast<void*>(on_##name), &real_##name},
// NOLINTEND(bugprone-macro-parentheses)
