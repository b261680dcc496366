// SPDX-License-Identifier: BSD-3-Clause
// world.hpp - the processes of the job, and communicators of some of them that the program does not notice
//
// There are two kinds of programs: those that call MPI_Init have MPI_COMM_WORLD. In those that begin with
// MPI_Session_init Cairn holds a session of its own, from after the program's first to before its last is finalized.
#pragma once

#include <mpi.h>

#include "job/roster.hpp"

namespace cairn::engine {

class World {
 public:
  /// Within MPI_Init, when the library has started.
  void start();
  /// Within the first MPI_Session_init. False if the library has no sessions or opens none.
  bool start_with_session();
  /// Within the last MPI_Finalize or MPI_Session_finalize, before the library's own.
  void finish();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool has_session() const { return group_ != MPI_GROUP_NULL; }
  /// Of all processes, in a program that began with a session; else MPI_GROUP_NULL.
  MPI_Group group() const { return group_; }

  /// Of all processes: MPI_COMM_WORLD, or one that is made for the time being. Collective over all processes then.
  void open();
  void close();
  MPI_Comm comm() const { return comm_; }
  /// Lets the library deliver what others still wait for; also while it is closed.
  void let_progress();
  /// Of some ranks, and collective over these, while it is open. MPI_COMM_NULL if that fails.
  MPI_Comm make(const RankRanges& ranks) const;

 private:
  int rank_ = 0;
  int size_ = 1;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Group group_ = MPI_GROUP_NULL;
#if MPI_VERSION >= 4
  MPI_Session session_ = MPI_SESSION_NULL;
  void begin_wait();
  void end_wait();
  MPI_Comm self_ = MPI_COMM_NULL;  // of this process alone
  MPI_Request wait_ = MPI_REQUEST_NULL;
#endif
};

}  // namespace cairn::engine
