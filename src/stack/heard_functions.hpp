// SPDX-License-Identifier: BSD-3-Clause
// heard_functions.hpp - functions of other libraries whose calls by the program are heard on their way.
#pragma once

#include <atomic>
#include <span>

#include "contracts/preload.hpp"
#include "loader/loaded_snapshot.hpp"
#include "stack/stack.hpp"

namespace cairn {

struct HeardFunction {
  const char* name;
  void* entry;               // called in its place; null: only looked up
  std::atomic<void*>* real;  // null as long as the program is not linked to it
};

/// Lets the calls of these functions in all objects that came after `before` lead to their entries: not those of
/// layers, and none that the program has bound to nothing.
void link_heard_functions(std::span<const HeardFunction> functions, const Preload& preload, const Stack& stack,
                          const LoadedSnapshot& before);

}  // namespace cairn
