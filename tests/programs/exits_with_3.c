// SPDX-License-Identifier: BSD-3-Clause
// exits_with_3.c - a program whose own exit code must survive the stack.
//
// Works with any number of ranks. Calls of every rank:
//   Init 1, Comm_rank 1, Comm_size 1, Allreduce 1, Finalize 1
// Bytes of every rank: 4 bytes into Allreduce, no messages.
// Every rank returns 3 from main when the result is right and 1 when it is not. Exit code of
// mpirun: 3 with Open MPI and MPICH. Open MPI kills the ranks still running when the first has left
// with 3, so what happens at process exit is sure for all ranks only with one rank.

#include <mpi.h>

#include <stdio.h>

int main(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  int sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int right = sum == size * (size - 1) / 2;
  if (rank == 0) printf("%s exits_with_3: %d ranks, rank sum %d\n", right ? "ok" : "wrong", size, sum);
  MPI_Finalize();
  return right ? 3 : 1;
}
