// SPDX-License-Identifier: BSD-3-Clause
// surroundings.hpp - what lies around the stack: the program and the MPI library's parts, whose calls lead to it or
// past it.
//
// Fortran glue turns Fortran calls into calls of PMPI_X, which are the program's; what the MPI library calls for itself
// is nobody's business. Looked at when the stack is built, and whenever something is opened.
#pragma once

#include <mutex>
#include <unordered_map>

#include "cairn/services/callers.hpp"
#include "contracts/preload.hpp"
#include "loader/loaded_snapshot.hpp"
#include "stack/stack.hpp"

namespace cairn {

class Surroundings {
 public:
  Surroundings(const Preload& preload, const MpiLibrary& mpi, const Stack& stack)
      : preload_(preload), mpi_(mpi), stack_(stack) {}

  /// Points the MPI library's glue at the stack and its inner calls past it, for every object not looked at before.
  void link();

  /// Links what code at `opener` has got by opening a library: what a layer opens is linked as the layer itself is. A
  /// scan on another thread may have met it half loaded.
  void link_opened(const void* opener, void* handle, const LoadedSnapshot& before);

  CallerKind kind_of_code(const void* address) const;

  /// Whether calls of PMPI_X from there are the program's: from Fortran glue, and from a tool linked into the program.
  bool passes_program_calls(const void* address) const;

  /// In the child after fork, where a thread that was opening a library is gone.
  void forget_lock() { new (&scanning_) std::mutex; }

 private:
  void link_object(LoadedObject object, const Layer* owner);
  void link_glue(LoadedObject& object) const;
  void link_inner(LoadedObject& object) const;
  void link_program(LoadedObject& object) const;

  const Preload& preload_;
  const MpiLibrary& mpi_;
  const Stack& stack_;
  // The C library holds its lock during a scan, but does not promise to. Taken after that lock, never before it.
  std::mutex scanning_;
  std::unordered_map<std::uintptr_t, unsigned long> seen_in_scan_;  // by where an object lies
  unsigned long scans_ = 0;
  unsigned long long unloads_seen_ = 0;
};

}  // namespace cairn
