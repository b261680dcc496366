// SPDX-License-Identifier: BSD-3-Clause
// late.c - rank 2 comes to every collective call 20 ms after the others have said that they are about to enter it.

#define _GNU_SOURCE
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, word = 0;
  double one = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 12; ++i) {
    if (rank != 2) MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    for (int other = 0; rank == 2 && other < 2; ++other)
      MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2) usleep(20000);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return sum == 3 ? 0 : 1;
}
