/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c - a program for policies: N steps, then each rank says what some variables are.
 *
 * A step has an MPI_Isend to the next rank, its MPI_Recv, MPI_Waitall, MPI_Barrier and MPI_Allreduce; before the second
 * half the region "second" begins. With "duplicate" as first word, the collective calls are on a duplicate of
 * MPI_COMM_WORLD, with "slow" each step lasts a millisecond. Where STEPS_THREADS is set, the process asks for
 * MPI_THREAD_MULTIPLE.
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cairn/region.h"

static void show_control(int rank, const char *name) {
  int index = 0, count = 0;
  MPI_T_cvar_handle handle;
  int values[16] = {0};
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS || count > 16)
    return;
  MPI_T_cvar_read(handle, values);
  double number = 0;
  if (strstr(name, "_all_eq")) memcpy(&number, values, sizeof number);
  else number = values[0];
  printf("rank %d: %s %g\n", rank, name, number);
  MPI_T_cvar_handle_free(&handle);
}

static void show_memory(int rank) {
  int index = 0, count = 0;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  unsigned long long bytes = 0;
  if (MPI_T_pvar_get_index("mv2_total_vbuf_memory", MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS) return;
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
  MPI_T_pvar_read(session, handle, &bytes);
  printf("rank %d: memory %llu\n", rank, bytes);
  MPI_T_pvar_handle_free(session, &handle);
  MPI_T_pvar_session_free(&session);
}

int main(int argc, char **argv) {
  int rank, size, provided, first = 2, slow = 0;
  if (getenv("STEPS_THREADS") != NULL) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm = MPI_COMM_WORLD;
  const int steps = atoi(argv[1]);
  if (argc > first && strcmp(argv[first], "duplicate") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm), ++first;
  if (argc > first && strcmp(argv[first], "slow") == 0) slow = 1, ++first;
  int own = 1, sum = 0;
  char out[64] = "", in[64];
  for (int step = 0; step < steps; ++step) {
    MPI_Request request;
    const struct timespec pause = {0, 1000000};
    if (step == steps / 2) cairn_region_begin("second");
    if (slow) nanosleep(&pause, NULL);
    MPI_Isend(out, 64, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 64, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Status status;
    MPI_Waitall(1, &request, &status);
    MPI_Barrier(comm);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
  }
  if (steps > 0) cairn_region_end("second");
  for (int i = first; i < argc; ++i) {
    if (strcmp(argv[i], "memory") == 0) show_memory(rank);
    else show_control(rank, argv[i]);
  }
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
