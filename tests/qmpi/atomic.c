// SPDX-License-Identifier: BSD-3-Clause
// atomic.c - a QMPI tool that counts calls of MPI_Comm_rank from all threads in its storage, and finds its way at each
// call

#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "say.h"

static int comm_rank(QMPI_Context context, int id, MPI_Comm comm, int *rank) {
  QMPI_Comm_rank_t *next = NULL;
  int next_id = -1;
  void *storage = NULL;
  QMPI_Get_tool_storage(context, id, &storage);
  atomic_fetch_add((atomic_long *)storage, 1);
  QMPI_Get_function(id, MPI_COMM_RANK_T, (void (**)(void)) & next, &next_id);
  return next(context, next_id, comm, rank);
}

static int finalize(QMPI_Context context, int id) {
  QMPI_Finalize_t *next = NULL;
  int next_id = -1;
  void *storage = NULL;
  QMPI_Get_tool_storage(context, id, &storage);
  say("atomic %d: %ld\n", id, atomic_load((atomic_long *)storage));
  QMPI_Get_function(id, MPI_FINALIZE_T, (void (**)(void)) & next, &next_id);
  return next(context, next_id);
}

static void init(int id) {
  QMPI_Register_tool_storage(id, calloc(1, sizeof(atomic_long)));
  QMPI_Register_function(id, MPI_COMM_RANK_T, (void (*)(void))comm_rank);
  QMPI_Register_function(id, MPI_FINALIZE_T, (void (*)(void))finalize);
}

__attribute__((constructor)) static void make_known(void) { QMPI_Register_tool_name("atomic", init); }
