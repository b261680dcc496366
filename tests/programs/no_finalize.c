// SPDX-License-Identifier: BSD-3-Clause
// no_finalize.c - a program that ends without MPI_Finalize.
//
// Works with any number of ranks. Calls of every rank:
//   Init 1, Comm_rank 1, Comm_size 1, Sendrecv 3, Barrier 1
// Bytes of every rank: 96 sent to the next rank (3 x 4 double), 96 received from the one before
// (the rank itself if it is alone).
// Every rank returns 0 from main. Exit code of mpirun: 1 with Open MPI, which calls this improper;
// with MPICH 0, or 9 if it killed a slower rank. Both launchers kill the ranks still running when
// the first has left, so what happens at process exit is sure for all ranks only with one rank, or
// with `mpirun -disable-auto-cleanup` of MPICH.

#include <mpi.h>

#include <stdio.h>

enum { ROUNDS = 3, LENGTH = 4 };

int main(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  int errors = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  for (int round = 0; round < ROUNDS; ++round) {
    const double outgoing[LENGTH] = {rank, rank, rank, rank};
    double incoming[LENGTH] = {-1.0, -1.0, -1.0, -1.0};
    MPI_Sendrecv(outgoing, LENGTH, MPI_DOUBLE, next, 0, incoming, LENGTH, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < LENGTH; ++i) errors += incoming[i] != previous;
  }
  if (rank == 0) {
    printf("%s no_finalize: %d ranks, errors %d\n", errors == 0 ? "ok" : "wrong", size, errors);
    fflush(stdout);
  }
  // The launcher kills the job when the first rank leaves like this: all messages must be done.
  MPI_Barrier(MPI_COMM_WORLD);
  return errors == 0 ? 0 : 1;
}
