// SPDX-License-Identifier: BSD-3-Clause
// plugin_mpi.c - the MPI part of dlopen_mpi, a shared object linked with MPI.
//
// Works with any number of ranks. Calls of every rank:
//   Init 1, Comm_rank 1, Comm_size 1, Sendrecv 5, Allreduce 1, Barrier 1, Finalize 1
// Bytes of every rank: 400 sent to the next rank (5 x 20 int), 400 received from the one before
// (the rank itself if it is alone); 4 bytes into Allreduce.

#include <mpi.h>

#include <stdio.h>

enum { ROUNDS = 5, LENGTH = 20 };

static int exchange(int rank, int size, int round) {
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  int outgoing[LENGTH];
  int incoming[LENGTH] = {0};
  int errors = 0;
  for (int i = 0; i < LENGTH; ++i) outgoing[i] = 100 * round + rank;
  MPI_Sendrecv(outgoing, LENGTH, MPI_INT, next, round, incoming, LENGTH, MPI_INT, previous, round, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < LENGTH; ++i) errors += incoming[i] != 100 * round + previous;
  return errors;
}

int run(int argc, char **argv);

int run(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  int errors = 0;
  int all_errors = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < ROUNDS; ++round) errors += exchange(rank, size, round);
  MPI_Allreduce(&errors, &all_errors, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s plugin_mpi: %d ranks, %d rounds, errors %d\n", all_errors == 0 ? "ok" : "wrong", size, ROUNDS,
           all_errors);
  MPI_Finalize();
  return all_errors == 0 ? 0 : 1;
}
