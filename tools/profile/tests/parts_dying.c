// SPDX-License-Identifier: BSD-3-Clause
// parts_dying.c - the last rank ends in the way that the argument says; others wait for it in a Barrier.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void handle(int number) {
  (void)number;
  (void)!write(STDOUT_FILENO, "handled\n", 8);
}

static void end(const char *way) {
  static int *volatile nowhere;
  if (strcmp(way, "segmentation") == 0) *nowhere = 1;
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "MPI_Abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(way, "exit") == 0) exit(5);
  if (strcmp(way, "terminate") == 0) raise(SIGTERM);
  if (strcmp(way, "handled") == 0) raise(SIGTERM);
}

int main(int argc, char **argv) {
  const char *way = argv[1];
  int rank, size;
  if (strcmp(way, "handled") == 0) signal(SIGTERM, handle);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) end(way);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (strcmp(way, "after") == 0) raise(SIGTERM);
  return 0;
}
