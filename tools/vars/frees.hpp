// SPDX-License-Identifier: BSD-3-Clause
// frees.hpp - hears from the library when a followed object is freed, also by a call that passes no layer
//
// By an attribute of the object whose deletion is a callback: a program may call PMPI_Comm_free, and layers below may
// free what the program made. The object is still valid then, and must not be read afterwards. Files have no attributes.
#pragma once

#include <mpi.h>

#include "objects.hpp"

namespace vars {

class Frees {
 public:
  /// Called on any thread, within the call that frees.
  using Gone = void (*)(void* who, Bound kind, const void* handle, std::size_t size);

  Frees(Gone gone, void* who) : gone_(gone), who_(who) {}
  Frees(const Frees&) = delete;
  Frees& operator=(const Frees&) = delete;

  /// After MPI has started, and before it ends.
  void start();
  void finish();

  /// False: nobody would say that the object is gone.
  bool watch(Bound kind, const void* handle) const;

 private:
  bool watch_comm(MPI_Comm comm) const;
  bool watch_win(MPI_Win win) const;
  static int comm_is_gone(MPI_Comm comm, int key, void* value, void* frees);
  static int win_is_gone(MPI_Win win, int key, void* value, void* frees);

  Gone gone_;
  void* who_;
  int comm_key_ = MPI_KEYVAL_INVALID;
  int win_key_ = MPI_KEYVAL_INVALID;
};

}  // namespace vars
