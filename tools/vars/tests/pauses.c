/* SPDX-License-Identifier: BSD-3-Clause */
/* pauses.c - barriers with time between them: pauses COUNT MILLISECONDS */

#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char *argv[]) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  const int count = atoi(argv[1]), milliseconds = atoi(argv[2]);
  const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  for (int i = 0; i < count; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    nanosleep(&pause, NULL);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
