// SPDX-License-Identifier: BSD-3-Clause
// overlap.c - neighbours exchange messages while they compute, and one of the two is always late
//
//   mpirun -n 2 ./overlap [BYTES] [BLOCKS]
//
// Up to the eager limit, a message leaves at once and is there when the late rank comes. Beyond it, the sender waits
// until the receiver has come too, and what was to overlap does not. The fastest block of 200 iterations counts, as
// others may use the machine.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void compute(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) continue;
}

static void iterate(char *out, char *in, int bytes, int peer, int late) {
  const double work = 20e-6;
  MPI_Request requests[2];
  MPI_Irecv(in, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[1]);
  compute(late ? 1.5 * work : 0.5 * work);
  for (int i = 0; i < 2; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = argc > 1 ? atoi(argv[1]) : 16384;
  const int blocks = argc > 2 ? atoi(argv[2]) : 100;
  const int iterations = 200;
  double best = 1e9;
  char *out = calloc((size_t)bytes, 1);
  char *in = calloc((size_t)bytes, 1);
  if (out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 1);

  for (int block = 0; block < blocks; ++block) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < iterations; ++i) iterate(out, in, bytes, rank ^ 1, i % 2 == rank);
    const double time = (MPI_Wtime() - begin) / iterations;
    if (time < best) best = time;
  }
  if (rank == 0) printf("time: %.2f us per iteration\n", 1e6 * best);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
