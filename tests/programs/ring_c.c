// SPDX-License-Identifier: BSD-3-Clause
// ring_c.c - pass a token ten times around the ring of ranks, in C.
//
// Needs at least 2 ranks. Calls of every rank:
//   Init 1, Comm_rank 1, Comm_size 1, Send 10, Recv 10, Bcast 1, Barrier 1, Allreduce 1, Finalize 1
// Bytes of every rank: 4000 sent to the next rank (10 x 100 int), 4000 received from the one
// before; Bcast of 40 bytes from rank 0; 8 bytes into Allreduce.

#include <mpi.h>

#include <stdio.h>

enum { ROUNDS = 10, TOKEN_LENGTH = 100, BCAST_LENGTH = 10 };

static int count_different(const int *values, int length, int expected) {
  int different = 0;
  for (int i = 0; i < length; ++i) different += values[i] != expected;
  return different;
}

// Rank r hands on the token with r + 1 added since the round began, so it counts the hops.
static int pass_token(int rank, int size) {
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  int token[TOKEN_LENGTH] = {0};
  int errors = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    // Rank 0 sends first and receives last: blocking calls need one rank to break the circle.
    if (rank != 0) {
      MPI_Recv(token, TOKEN_LENGTH, MPI_INT, previous, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      errors += count_different(token, TOKEN_LENGTH, round * size + rank);
    }
    for (int i = 0; i < TOKEN_LENGTH; ++i) ++token[i];
    MPI_Send(token, TOKEN_LENGTH, MPI_INT, next, round, MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Recv(token, TOKEN_LENGTH, MPI_INT, previous, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      errors += count_different(token, TOKEN_LENGTH, (round + 1) * size);
    }
  }
  return errors;
}

static int run(int rank, int size) {
  int errors = pass_token(rank, size);

  int shared[BCAST_LENGTH];
  for (int i = 0; i < BCAST_LENGTH; ++i) shared[i] = rank == 0 ? 42 : -1;
  MPI_Bcast(shared, BCAST_LENGTH, MPI_INT, 0, MPI_COMM_WORLD);
  errors += count_different(shared, BCAST_LENGTH, 42);

  MPI_Barrier(MPI_COMM_WORLD);

  const int mine[2] = {rank, errors};
  int sum[2] = {0, 0};
  MPI_Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int right = sum[0] == size * (size - 1) / 2 && sum[1] == 0;
  if (rank == 0)
    printf("%s ring_c: %d ranks, %d rounds, rank sum %d, errors %d\n", right ? "ok" : "wrong", size, ROUNDS, sum[0],
           sum[1]);
  return right ? 0 : 1;
}

int main(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int status = 2;
  if (size >= 2) status = run(rank, size);
  else fprintf(stderr, "ring_c: error: needs at least 2 ranks\n");
  MPI_Finalize();
  return status;
}
