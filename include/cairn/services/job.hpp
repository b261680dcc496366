// SPDX-License-Identifier: BSD-3-Clause
// job.hpp - the service "cairn.job": the ranks that have the same tool, and communication among them
//
// Ranks may have different stacks: another command on a part of the job, or a tool that one rank could not load. They
// exchange which tools they have in MPI_Init, or in the first MPI_Session_init of a program that begins with sessions.
// kit/ranks.hpp is the C++ interface: World for the ranks that have the same instance of a tool, take_turn for what
// they do together when MPI is finalized.
//
// Offered by Cairn itself to every tool. Include it after <mpi.h>. Errors are returned as MPI error codes and never end
// the program.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "cairn/tool.h"

namespace cairn {

/// The processes that have one instance of a tool.
struct JobMembers {
  int rank;             // this process among them
  int size;             // their number
  const int* in_world;  // [size], ascending: their ranks in MPI_COMM_WORLD, or in mpi://WORLD
  int world_size;       // processes of the job, with Cairn or without
};

struct Job {
  static constexpr const char* service = "cairn.job";
  static constexpr std::uint32_t version = 3;

  /// Null until MPI_Init or MPI_Session_init has returned from the library; valid and unchanged from then on. Only this
  /// process if the ranks of a program with sessions cannot meet.
  const JobMembers* (*members)(const cairn_tool_instance* self);

  /// A communicator of the members, in their order; MPI_COMM_NULL if it cannot be created. Collective over the
  /// members, which call it in their turn or when MPI_Init returns; or when the first MPI_Session_init returns, if
  /// all processes of the job are members. It belongs to Cairn and is shared by instances with the same members.
  MPI_Comm (*communicator)(const cairn_tool_instance* self);
  /// Releases it; once for each call of `communicator`, and collective likewise. MPI_Finalize releases it too.
  void (*release)(const cairn_tool_instance* self);

  /// For what the members do together in MPI_Finalize: calls finish(argument) now, or later in MPI_Finalize if
  /// ranks have the same instances in different orders. All ranks finish their instances in the same order.
  void (*take_turn)(const cairn_tool_instance* self, void (*finish)(void* argument), void* argument);
  /// The same in MPI_Session_finalize: calls finish(argument) later in it, if the program began with a session and this
  /// is its last one.
  void (*take_session_turn)(const cairn_tool_instance* self, void (*finish)(void* argument), void* argument);

  /// The group of all processes in a program that began with a session, which may have no MPI_COMM_WORLD; otherwise
  /// MPI_GROUP_NULL. It belongs to Cairn.
  MPI_Group (*session_world)();

  // These bypass all tools and go straight to the library, so that no tool counts this traffic as the program's.
  int (*send)(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
  int (*receive)(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm);

  /// When the first tool of the stack took its turn in MPI_Finalize (ticks_now() of kit/clock.hpp); 0: none has. What
  /// comes later is the tools': they meet there.
  std::uint64_t (*run_end)();
};

}  // namespace cairn
