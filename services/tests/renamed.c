/* SPDX-License-Identifier: BSD-3-Clause */
/* renamed.c - four ranks: 100 times they split in halves, in two ways in turn, and each first one of a half sends 100 bytes to the second: at once, and
   by requests. */

#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, first = 0;
  char bytes[100] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 100; ++i) {
    MPI_Comm half;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? rank % 2 : rank / 2, rank, &half);
    MPI_Comm_rank(half, &first);
    if (first == 0) MPI_Send(bytes, sizeof bytes, MPI_CHAR, 1, 0, half);
    else MPI_Recv(bytes, sizeof bytes, MPI_CHAR, 0, 0, half, MPI_STATUS_IGNORE);
    if (first == 0) MPI_Isend(bytes, sizeof bytes, MPI_CHAR, 1, 0, half, &request);
    else MPI_Irecv(bytes, sizeof bytes, MPI_CHAR, 0, 0, half, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
