// SPDX-License-Identifier: BSD-3-Clause
// loaded_snapshot.hpp - which objects are loaded at a moment, to tell those that come later.
//
// Other threads of the program may open and close libraries at any time. So the dynamic loader's list is only walked
// under the loader's own lock, and nothing is kept that would have to stay valid: an object that is closed after the
// snapshot is merely never met again.
#pragma once

#include <link.h>

#include <functional>
#include <utility>
#include <vector>

#include "loader/loaded_object.hpp"

namespace cairn {

class LoadedSnapshot {
 public:
  /// Of now.
  LoadedSnapshot();
  /// Of the program, without libraries.
  static LoadedSnapshot of_program();
  /// All is newer.
  static LoadedSnapshot of_nothing() { return LoadedSnapshot(Empty()); }

  bool contains(const link_map* map) const;

  /// Visits what was loaded later, in the order of loading. `visit` runs under the loader's lock: it must not open or
  /// close anything, nor ask for symbols.
  void for_each_newer(const std::function<void(const LoadedObject&)>& visit) const;

  /// Only of that what a handle of dlopen brought: its object and those it needs, not what other threads have opened.
  void for_each_newer_of(void* handle, const std::function<void(const LoadedObject&)>& visit) const;

 private:
  struct Empty {};
  explicit LoadedSnapshot(Empty /*tag*/) {}
  std::vector<const link_map*> newer() const;

  std::vector<std::pair<const link_map*, std::uintptr_t>> objects_;  // with their addresses, as memory is used again
};

}  // namespace cairn
