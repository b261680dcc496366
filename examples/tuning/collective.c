// SPDX-License-Identifier: BSD-3-Clause
// collective.c - many reductions or exchanges of one size, for which the library chooses the algorithm
//
//   mpirun -n 4 ./collective [allreduce|alltoall] [BYTES] [BLOCKS]
//
// The fastest block of 100 calls counts, as others may use the machine.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int exchange = argc > 1 && strcmp(argv[1], "alltoall") == 0;
  const int count = (argc > 2 ? atoi(argv[2]) : 16384) / (int)sizeof(double);
  const int blocks = argc > 3 ? atoi(argv[3]) : 50;
  const int iterations = 100;
  double best = 1e9;
  double *out = calloc((size_t)count * (size_t)size, sizeof *out);
  double *in = calloc((size_t)count * (size_t)size, sizeof *in);
  if (out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 1);

  for (int block = 0; block < blocks; ++block) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < iterations; ++i)
      if (exchange) MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
      else MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double time = (MPI_Wtime() - begin) / iterations;
    if (time < best) best = time;
  }
  if (rank == 0) printf("time: %.2f us per call\n", 1e6 * best);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
