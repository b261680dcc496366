// SPDX-License-Identifier: BSD-3-Clause
// seen.c - a PMPI tool that says in the end which calls it saw on this rank.

#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

extern volatile int cairn_test_seen __attribute__((weak));  // the program's

static int process = -1;
static int inits, ranks, sizes, controls, names, frees, finals;

static int note_init(int result) {
  ++inits;
  MPI_Group world;  // by functions that no layer here wraps
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_rank(world, &process);
  PMPI_Group_free(&world);
  return result;
}

int MPI_Init(int *argc, char ***argv) { return note_init(PMPI_Init(argc, argv)); }

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  return note_init(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Get_version(int *version, int *subversion) {
  if (&cairn_test_seen != NULL) ++cairn_test_seen;
  return PMPI_Get_version(version, subversion);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  ++ranks;
  return PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  ++sizes;
  return PMPI_Comm_size(comm, size);
}

int MPI_Comm_set_name(MPI_Comm comm, const char *name) {
  ++names;
  return PMPI_Comm_set_name(comm, name);
}

int MPI_Comm_free(MPI_Comm *comm) {
  ++frees;
  return PMPI_Comm_free(comm);
}

int MPI_Pcontrol(const int level, ...) {
  va_list more;
  va_start(more, level);
  const char *word = va_arg(more, const char *);
  const double number = va_arg(more, double);
  va_end(more);
  controls += word[0] == 'm' && number == 2.5;
  return PMPI_Pcontrol(level, word, number);
}

int MPI_Finalize(void) {
  ++finals;
  return PMPI_Finalize();
}

__attribute__((destructor)) static void tell(void) {
  fprintf(stderr, "seen %d: rank=%d size=%d name=%d free=%d pcontrol=%d init=%d finalize=%d\n", process, ranks, sizes,
          names, frees, controls, inits, finals);
}
