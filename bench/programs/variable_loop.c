// SPDX-License-Identifier: BSD-3-Clause
// variable_loop.c - reads one variable of MPI_T many times: variable_loop cvar|pvar NAME CLASS BLOCKS READS
//
// CLASS: of a performance variable, 0 for state to 9 for generic. Variables of communicators get MPI_COMM_WORLD. Prints
// the ns of one read in the fastest block; callgrind counts the instructions of reads().

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

static MPI_T_cvar_handle control;
static MPI_T_pvar_handle performance;
static MPI_T_pvar_session session;
static unsigned long value[4096];

__attribute__((noinline)) static void reads(long count) {
  if (control != MPI_T_CVAR_HANDLE_NULL)
    for (long i = 0; i < count; ++i) MPI_T_cvar_read(control, value);
  else
    for (long i = 0; i < count; ++i) MPI_T_pvar_read(session, performance, value);
}

static int allocate(char *argv[]) {
  MPI_Comm world = MPI_COMM_WORLD;
  int index = -1, count = 0, binding = MPI_T_BIND_NO_OBJECT;
  if (strcmp(argv[1], "cvar") == 0)
    return MPI_T_cvar_get_index(argv[2], &index) + MPI_T_cvar_handle_alloc(index, NULL, &control, &count);
  const int class = MPI_T_PVAR_CLASS_STATE + atoi(argv[3]);
  char name[256];
  int length = sizeof name;
  MPI_T_pvar_session_create(&session);
  if (MPI_T_pvar_get_index(argv[2], class, &index) != MPI_SUCCESS) return 1;
  MPI_T_pvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, &binding, NULL, NULL, NULL);
  const int code =
      MPI_T_pvar_handle_alloc(session, index, binding == MPI_T_BIND_MPI_COMM ? &world : NULL, &performance, &count);
  MPI_T_pvar_start(session, performance);  // continuous ones refuse
  return code;
}

int main(int argc, char *argv[]) {
  int provided = 0;
  if (argc < 6) return 2;
  const long blocks = atol(argv[4]), count = atol(argv[5]);
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (allocate(argv) != MPI_SUCCESS) {
    fprintf(stderr, "variable_loop: no variable '%s'\n", argv[2]);
    return 1;
  }
  printf("%s: %.1f ns\n", argv[2], fastest(reads, blocks, count));
  MPI_Finalize();
  return 0;
}
