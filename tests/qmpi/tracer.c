// SPDX-License-Identifier: BSD-3-Clause
// tracer.c - a tool as somebody would write it for MPICH's QMPI, with nothing of Cairn in it
//
// It says what each of its layers sees: its id, the next id, its storage. In its wrapper of MPI_Barrier it calls
// MPI_Comm_rank in all ways there are. -DNAME: its name.

#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

#ifndef NAME
#define NAME "tracer"
#endif

typedef struct {
  int id;
  int calls;
} Storage;

static Storage *storage_of(QMPI_Context context, int id) {
  void *storage = NULL;
  QMPI_Get_tool_storage(context, id, &storage);
  return storage;
}

static int trace_init(QMPI_Context context, int id, int *argc, char ***argv) {
  QMPI_Init_t *next = NULL;
  int next_id = -1;
  QMPI_Get_function(id, MPI_INIT_T, (void (**)(void)) & next, &next_id);
  say(NAME " %d: MPI_Init next %d\n", id, next_id);
  return next(context, next_id, argc, argv);
}

static int trace_comm_rank(QMPI_Context context, int id, MPI_Comm comm, int *rank) {
  QMPI_Comm_rank_t *next = NULL;
  int next_id = -1;
  storage_of(context, id)->calls++;
  QMPI_Get_function(id, MPI_COMM_RANK_T, (void (**)(void)) & next, &next_id);
  return next(context, next_id, comm, rank);
}

/// The file name of the program or library in which the address lies.
static const char *object_of(void *address) {
  Dl_info where;
  if (address == NULL || dladdr(address, &where) == 0) return "nowhere";
  const char *slash = strrchr(where.dli_fname, '/');
  return slash == NULL ? where.dli_fname : slash + 1;
}

static int trace_barrier(QMPI_Context context, int id, MPI_Comm comm) {
  QMPI_Barrier_t *next = NULL;
  QMPI_Comm_rank_t *next_rank = NULL;
  int next_id = -1;
  int rank = -1;
  void *address = NULL;
  QMPI_Get_function(id, MPI_COMM_RANK_T, (void (**)(void)) & next_rank, &next_id);
  PMPI_Comm_rank(comm, &rank);
  MPI_Comm_rank(comm, &rank);
  next_rank(context, next_id, comm, &rank);
  QMPI_Comm_rank(context, id, comm, &rank);
  QMPI_Get_calling_address(context, &address);
  say(NAME " %d: MPI_Barrier called from %s\n", id, object_of(address));
  QMPI_Get_function(id, MPI_BARRIER_T, (void (**)(void)) & next, &next_id);
  return next(context, next_id, comm);
}

static int trace_pcontrol(QMPI_Context context, int id, const int level, ...) {
  va_list more;
  va_start(more, level);
  const int first = va_arg(more, int);
  const double second = va_arg(more, double);
  const char *third = va_arg(more, const char *);
  const long fourth = va_arg(more, long);
  const double fifth = va_arg(more, double);
  int sum = 0;
  double real_sum = 0;
  for (int i = 0; i < 5; ++i) sum += va_arg(more, int);
  for (int i = 0; i < 7; ++i) real_sum += va_arg(more, double);
  const int last = va_arg(more, int);
  va_end(more);
  say(NAME " %d: MPI_Pcontrol %d %d %g %s %ld %g %d %g %d\n", id, level, first, second, third, fourth, fifth, sum,
      real_sum, last);
  QMPI_Pcontrol_t *next = NULL;
  int next_id = -1;
  QMPI_Get_function(id, MPI_PCONTROL_T, (void (**)(void)) & next, &next_id);
  return next(context, next_id, level, 11, 2.5, third, fourth, fifth, 12, 13, 14, 15, 16, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5,
              9.5, 17);
}

static double trace_wtick(QMPI_Context context, int id) {
  QMPI_Wtick_t *next = NULL;
  int next_id = -1;
  QMPI_Get_function(id, MPI_WTICK_T, (void (**)(void)) & next, &next_id);
  return next(context, next_id);
}

static int trace_finalized(QMPI_Context context, int id, int *flag) {
  QMPI_Finalized_t *next = NULL;
  int next_id = -1;
  QMPI_Get_function(id, MPI_FINALIZED_T, (void (**)(void)) & next, &next_id);
  const int result = next(context, next_id, flag);
  const Storage *storage = storage_of(context, id);
  say(NAME " %d: after MPI_Finalize: storage of %d, MPI_Comm_rank seen %d times\n", id, storage->id, storage->calls);
  return result;
}

static void start(int id) {
  Storage *storage = malloc(sizeof *storage);
  storage->id = id;
  storage->calls = 0;
  QMPI_Register_tool_storage(id, storage);
  QMPI_Register_function(id, MPI_INIT_T, (void (*)(void))trace_init);
  QMPI_Register_function(id, MPI_COMM_RANK_T, (void (*)(void))trace_comm_rank);
  QMPI_Register_function(id, MPI_BARRIER_T, (void (*)(void))trace_barrier);
  QMPI_Register_function(id, MPI_PCONTROL_T, (void (*)(void))trace_pcontrol);
  QMPI_Register_function(id, MPI_WTICK_T, (void (*)(void))trace_wtick);
  QMPI_Register_function(id, MPI_FINALIZED_T, (void (*)(void))trace_finalized);
}

__attribute__((constructor)) static void make_known(void) { QMPI_Register_tool_name(NAME, start); }
