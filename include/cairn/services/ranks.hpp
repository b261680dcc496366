// SPDX-License-Identifier: BSD-3-Clause
// ranks.hpp - the service "cairn.ranks": the processes of a communicator and their ranks in MPI_COMM_WORLD (in
// mpi://WORLD in a program that begins with a session)
//
//   using Needs = cairn::ServiceList<cairn::Ranks>;
//   explicit Tool(cairn::Self self) : ranks_(self.need<cairn::Ranks>()) {}
//   … ranks_.world_rank(arg<Role::comm>(call), arg<Role::dest>(call))
//
// Offered by a module that Cairn adds below the tools that need it. Include it after <mpi.h>.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace cairn {

/// The size and rank of any kind of communicator (MPI-4.1 section 7.4).
struct Members {
  int rank;         // of the calling process in the local group
  int size;         // of the local group
  int remote_size;  // of the remote group of an inter-communicator, otherwise 0
  int peers;        // size of the group that ranks in calls refer to: the remote one if there is one
};

/// Ranks in the communicator, in the order of neighborhood calls; MPI_PROC_NULL at the edge of a grid.
struct NeighborList {
  int count;
  const int* ranks;
};

/// In a communicator with a topology: from whom neighborhood calls receive, and to whom they send.
struct Neighbors {
  NeighborList in;
  NeighborList out;
};

struct Ranks {
  static constexpr const char* service = "cairn.ranks";
  static constexpr std::uint32_t version = 1;

  /// The "world rank" of a process outside this process's MPI_COMM_WORLD: in a spawned or connected program.
  static constexpr int outside = -1'000'000;

  // For all functions: the communicator must be valid and MPI initialized. Null for MPI_COMM_NULL and out of memory.
  // Any thread. The answer belongs to the service and is valid until the communicator is freed: a handler that needs it
  // after proceed() must ask before. The first query makes local MPI calls; later ones cost some
  // forty instructions, no MPI call and no lock.

  const Members* (*members)(MPI_Comm comm);

  /// [peers]: the world rank of each process that a rank in a call can mean. Takes 4 bytes per process, shared by all
  /// communicators that have the processes of MPI_COMM_WORLD in its order.
  const int* (*worlds)(MPI_Comm comm);

  /// Empty lists if there is no topology.
  const Neighbors* (*neighbors)(MPI_Comm comm);

  /// The world ranks of a group's processes 0 to size - 1. Not cached; for communicators use `worlds`.
  void (*translate)(MPI_Group group, int size, int* worlds);

  /// The world rank of a rank in a call. Negative ranks (MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT) are returned as they
  /// are.
  int world_rank(MPI_Comm comm, int rank) const {
    if (rank < 0) return rank;
    const int* const all = worlds(comm);
    return all == nullptr ? outside : all[rank];
  }
};

}  // namespace cairn
