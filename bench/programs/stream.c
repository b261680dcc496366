/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - what a message costs the rank that sends it: messages of 8 bytes one after the other, fastest block. */
/* stream [BLOCKS [MESSAGES]], 2 ranks; prints one line of JSON on rank 0. The receiver is ahead: its receives are there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

enum { MOST = 100 };

static double balls[MOST];
static MPI_Request requests[MOST];

static void send(long messages) {
  double ball = 1;
  for (long i = 0; i < messages; ++i) MPI_Send(&ball, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
}

static double send_block(long messages) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = now_ns();
  send(messages);
  return (now_ns() - begin) / (double)messages;
}

static void receive_block(long messages) {
  for (long i = 0; i < messages; ++i) MPI_Irecv(&balls[i], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (long i = 0; i < messages; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank;
  const long blocks = argc > 1 ? atol(argv[1]) : 2000;
  const long messages = argc > 2 && atol(argv[2]) <= MOST ? atol(argv[2]) : MOST;
  double best = 1e18;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long block = 0; block < blocks; ++block) {
    if (rank == 0) {
      const double each = send_block(messages);
      if (each < best) best = each;
    } else if (rank == 1) {
      receive_block(messages);
    }
  }
  if (rank == 0) printf("{\"stream_ns\": %.2f}\n", best);
  MPI_Finalize();
  return 0;
}
