// SPDX-License-Identifier: BSD-3-Clause
// program.c - one call of each function that the tools of this folder wrap; the last comes after MPI_Finalize

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  int sum = 0;
  int number = 41;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) number = 42;
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(3, 11, 2.5, "text", 1099511627776L, 0.25, 12, 13, 14, 15, 16, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 17);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("program: %d %d %d %s\n", number, sum, size, MPI_Wtick() > 0 ? "ticks" : "no ticks");
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized != 1;
}
