// SPDX-License-Identifier: BSD-3-Clause
// program.c - a program into which a tool can be linked.
//
// Needs 2 ranks. Calls of every rank: Init 1, Comm_rank 1, Comm_size 1, Sendrecv 4, Bcast 1, Barrier 2, Finalize 1.

#include <mpi.h>

#include <stdio.h>

int main(int argc, char **argv) {
  int rank = -1;
  int size = 0;
  int wrong = 0;
  int shared = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 4; ++i) {
    const int next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    int incoming = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, i, &incoming, 1, MPI_INT, before, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += incoming != before;
  }
  if (rank == 0) shared = 5;
  MPI_Bcast(&shared, 1, MPI_INT, 0, MPI_COMM_WORLD);
  wrong += shared != 5;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", wrong);
  MPI_Finalize();
  return 0;
}
