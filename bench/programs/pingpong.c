/* SPDX-License-Identifier: BSD-3-Clause */
/* pingpong.c - how long a message takes from one rank to the other: half of a round trip, fastest block. */
/* pingpong [BLOCKS [ROUND TRIPS [BYTES]]], 2 ranks, 8 bytes; prints one line of JSON on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

static int rank, bytes;
static char *ball;

static void round_trips(long trips) {
  const int other = 1 - rank;
  for (long i = 0; i < trips; ++i) {
    if (rank == 0) MPI_Send(ball, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    MPI_Recv(ball, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(ball, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  int size;
  const long blocks = argc > 1 ? atol(argv[1]) : 200;
  const long trips = argc > 2 ? atol(argv[2]) : 1000;
  bytes = argc > 3 ? atoi(argv[3]) : 8;
  ball = calloc((size_t)bytes + 1, 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "pingpong: needs 2 ranks, has %d\n", size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const double trip_ns = fastest(round_trips, blocks, trips);
  if (rank == 0) printf("{\"pingpong_ns\": %.2f}\n", trip_ns / 2);
  MPI_Finalize();
  return 0;
}
