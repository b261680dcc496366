// SPDX-License-Identifier: BSD-3-Clause
// deep_binding.hpp - what the program opens with RTLD_DEEPBIND calls MPI through the stubs like everything else.
#pragma once

#include <vector>

#include "contracts/preload.hpp"
#include "loader/loaded_snapshot.hpp"
#include "stack/functions.hpp"

namespace cairn {

/// Such an object looks for a function first in itself and in what it needs, so that it finds the MPI library's before
/// the stubs. Where that is so, and only there, its imports are pointed at the stubs.
class DeepBinding {
 public:
  /// Asks what the objects of a handle of dlopen find.
  DeepBinding(const Preload& preload, void* handle);

  /// For what the handle has brought since.
  void link(const LoadedSnapshot& before) const;

  /// The same while there is no stack, which links Fortran's glue: the glue's calls that may come first lead there too.
  void link_first_calls(const LoadedSnapshot& before) const;

 private:
  void link_object(LoadedObject object) const;
  void link_glue(LoadedObject object) const;

  const Preload& preload_;
  void* handle_;
  Functions functions_;
  std::vector<bool> finds_library_;  // by function: whether the objects find the MPI library's
};

}  // namespace cairn
