// SPDX-License-Identifier: BSD-3-Clause
// mpi_library.hpp - the MPI library of this process: its family, its version and its functions.
#pragma once

#include <string_view>
#include <vector>

#include "contracts/preload.hpp"
#include "loader/loaded_object.hpp"
#include "request/tool_file.hpp"
#include "stack/functions.hpp"

namespace cairn {

class MpiLibrary {
 public:
  MpiLibrary(const Preload& preload, const MpiFamily& family);

  const MpiFamily& family() const { return *target_.family; }
  /// What tools are to work with.
  const TargetMpi& target() const { return target_; }
  /// Every function that some MPI has, by number.
  const Functions& functions() const { return functions_; }

  /// What the program would call were Cairn not there, by function; null where the library lacks it. That may be a PMPI
  /// tool which the program is linked with.
  const std::vector<void*>& native() const { return native_; }
  void* native(FunctionIndex function) const { return native_[function]; }

  /// The library's own, past such a tool; null if it has none of that name.
  void* own_function(std::string_view name) const;

  /// Whether an object calls MPI.
  bool is_called_by(const LoadedObject& object) const;
  /// Whether it defines some MPI_X.
  bool is_wrapped_by(const LoadedObject& object) const;

 private:
  const Preload& preload_;
  Functions functions_;
  std::vector<void*> native_;
  TargetMpi target_;
};

}  // namespace cairn
