// SPDX-License-Identifier: BSD-3-Clause
// ranks.hpp - the service "cairn.ranks": the processes of a communicator, and their ranks in MPI_COMM_WORLD, or in
// mpi://WORLD in a program that begins with a session
//
//   using Needs = cairn::ServiceList<cairn::Ranks>;
//   explicit Tool(cairn::Self self) : ranks_(self.need<cairn::Ranks>()) {}
//   … ranks_.world_rank(call.get<Role::comm>(), call.get<Role::dest>())
//
// Offered by a module that Cairn puts under the tools that need it. Include it after <mpi.h>.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace cairn {

/// What a communicator is made of: duplicates, Cartesian ones and inter-communicators alike (MPI-4.1 section 7.4).
struct Members {
  int rank;         // the calling process's, in the local group
  int size;         // of the local group
  int remote_size;  // of the remote group of an inter-communicator; 0 for others
  int peers;        // size of the group that ranks in calls refer to: the remote one where there is one
};

/// Ranks in the communicator, in the order in which neighborhood calls have them; MPI_PROC_NULL at the edge of a grid.
struct NeighborList {
  int count;
  const int* ranks;
};

/// Of a communicator with a topology: from whom neighborhood calls receive, and whom they send to.
struct Neighbors {
  NeighborList in;
  NeighborList out;
};

struct Ranks {
  static constexpr const char* service = "cairn.ranks";
  static constexpr std::uint32_t version = 1;

  /// The world rank of a process that is not in this process's MPI_COMM_WORLD: of a spawned or connected program.
  static constexpr int outside = -1'000'000;

  // For all: the communicator must exist, and MPI must be running. Null for MPI_COMM_NULL and when memory is out. Any
  // thread. The answer belongs to the service and is good until the communicator is freed: a handler that needs it
  // after proceed() asks before. It is made at the first question, by local calls of MPI; after that it costs some
  // forty instructions, no call of MPI and no lock.

  const Members* (*members)(MPI_Comm comm);

  /// [peers]: the world rank of each process that a rank in a call can mean. 4 bytes for each, kept once for all
  /// communicators with the processes of MPI_COMM_WORLD in its order.
  const int* (*worlds)(MPI_Comm comm);

  /// Empty lists where there is no topology.
  const Neighbors* (*neighbors)(MPI_Comm comm);

  /// The world ranks of a group's processes, from 0 to size - 1. Of its own communicators `worlds` remembers them.
  void (*translate)(MPI_Group group, int size, int* worlds);

  /// Of a rank as a call has it. Negative ones (MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT) stay as they are.
  int world_rank(MPI_Comm comm, int rank) const {
    if (rank < 0) return rank;
    const int* const all = worlds(comm);
    return all == nullptr ? outside : all[rank];
  }
};

}  // namespace cairn
