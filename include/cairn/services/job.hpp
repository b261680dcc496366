// SPDX-License-Identifier: BSD-3-Clause
// job.hpp - the service "cairn.job": which ranks have the same tool, and how these meet
//
// Ranks may have different stacks: another command on a part of the job, or a tool that one rank could not load. They
// tell each other in MPI_Init, or in the first MPI_Session_init of a program that begins with sessions.
// cairn/kit/ranks.hpp puts C++ on top: World for the ranks that have the same instance of a tool, take_turn for what
// these do together when MPI is finalized.
//
// Offered by Cairn itself to every tool. Include it after <mpi.h>. Errors come back as MPI's codes; none ends the
// program.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "cairn/tool.h"

namespace cairn {

/// The processes that have one instance of a tool.
struct JobMembers {
  int rank;             // this process among them
  int size;             // how many there are
  const int* in_world;  // [size], ascending: their ranks in MPI_COMM_WORLD, or in mpi://WORLD
  int world_size;       // how many processes the job has, with Cairn or without
};

struct Job {
  static constexpr const char* service = "cairn.job";
  static constexpr std::uint32_t version = 1;

  /// Null before MPI_Init or MPI_Session_init has returned from the library. Stays valid, and does not change. This
  /// process alone where the ranks of a program with sessions cannot meet.
  const JobMembers* (*members)(const cairn_tool_instance* self);

  /// Of exactly the members, numbered alike; MPI_COMM_NULL if it cannot be made. Collective over the members, which ask
  /// in their turn or when MPI_Init returns. It belongs to Cairn, and instances with the same members share it.
  MPI_Comm (*communicator)(const cairn_tool_instance* self);
  /// It is no longer needed, as often as it was asked for; collective as above. MPI_Finalize sees to it too.
  void (*release)(const cairn_tool_instance* self);

  /// The same for the members on this process's node.
  MPI_Comm (*node_communicator)(const cairn_tool_instance* self);

  /// For what the members do together in MPI_Finalize. Runs finish(argument) at once, or later in MPI_Finalize where
  /// ranks have the same instances in another order: all ranks finish them in one order.
  void (*take_turn)(const cairn_tool_instance* self, void (*finish)(void* argument), void* argument);
  /// The same in MPI_Session_finalize: runs finish(argument) later in it, if the program began with a session and this
  /// is its last.
  void (*take_session_turn)(const cairn_tool_instance* self, void (*finish)(void* argument), void* argument);

  /// All processes of the job in a program that began with a session, which may have no MPI_COMM_WORLD; else
  /// MPI_GROUP_NULL. It belongs to Cairn.
  MPI_Group (*session_world)();

  // Past all tools to the library, so that nobody counts this traffic as the program's.
  int (*send)(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
  int (*receive)(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm);
  int (*reduce)(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
  int (*all_reduce)(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
  int (*broadcast)(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
};

}  // namespace cairn
