/* SPDX-License-Identifier: BSD-3-Clause */
/* late_start.c - a PMPI tool with which rank 1 comes out of MPI_Init 30 ms after the others, as on a busy machine. */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <mpi.h>
#include <stddef.h>
#include <time.h>

int MPI_Init(int *argc, char ***argv) {
  const int result = PMPI_Init(argc, argv);
  const struct timespec pause = {0, 30000000};
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) nanosleep(&pause, NULL);
  return result;
}
