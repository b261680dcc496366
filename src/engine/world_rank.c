// SPDX-License-Identifier: BSD-3-Clause
// world_rank.c - looks at MPI_Init where the stack wants to know the rank and has no launcher to tell it.

#include "engine.hpp"

#include <mpi.h>

#include "cairn/tool.h"
#include "world_rank.h"

static const struct cairn_world_rank *listener;

static int init(int *argc, char ***argv);
static int init_thread(int *argc, char ***argv, int required, int *provided);
static struct cairn_tool_function functions[] = {{"MPI_Init", (void *)init, NULL},
                                                 {"MPI_Init_thread", (void *)init_thread, NULL}};

static int tell(int result) {
  int rank = 0;
  if (result == MPI_SUCCESS && PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS) listener->known(rank);
  return result;
}

static int init(int *argc, char ***argv) { return tell(PMPI_Init(argc, argv)); }

static int init_thread(int *argc, char ***argv, int required, int *provided) {
  return tell(PMPI_Init_thread(argc, argv, required, provided));
}

void cairn_engine_tell_world_rank(const struct cairn_tool_instance *instance) {
  listener = instance->find(instance, CAIRN_WORLD_RANK, CAIRN_WORLD_RANK_VERSION);
  if (listener != NULL) instance->intercept(instance, functions, sizeof functions / sizeof *functions);
}
