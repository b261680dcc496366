// SPDX-License-Identifier: BSD-3-Clause
// abort.c - rank 0 ends the job with MPI_Abort and code 7 while the others wait for it.
//
// Works with any number of ranks. Calls:
//   rank 0: Init 1, Comm_rank 1, Comm_size 1, Allreduce 1, Abort 1 (does not return)
//   others: Init 1, Comm_rank 1, Comm_size 1, Allreduce 1, Barrier 1 (does not return)
// Bytes of every rank: 4 bytes into Allreduce, no messages.
// Exit code of mpirun: 7 with Open MPI and MPICH.

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
  if (rank == 0) {
    const int right = sum == size * (size - 1) / 2;
    printf("%s abort: %d ranks, rank sum %d, now MPI_Abort with 7\n", right ? "ok" : "wrong", size, sum);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, right ? 7 : 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // Reached only if MPI_Abort returned or did not stop this rank.
  return 1;
}
