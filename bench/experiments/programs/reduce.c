/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - MPI_Reduce of so many integers to rank 0, by the maximum; prints the mean time in seconds. */
/* reduce INTEGERS TIMES; run by MPI, and by SimGrid's SMPI, which only sends and does not compute. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = atoi(argv[1]), times = atoi(argv[2]);
  int *const from = calloc((size_t)count, sizeof *from), *const to = calloc((size_t)count, sizeof *to);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    MPI_Reduce(from, to, count, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%.9f\n", (MPI_Wtime() - begin) / times);
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
