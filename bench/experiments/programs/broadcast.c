/* SPDX-License-Identifier: BSD-3-Clause */
/* broadcast.c - one broadcast of 1 MiB of random numbers, as the thesis's program does it; every rank checks what came. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = (1 << 20) / sizeof(int) };

static void fill(int *numbers) {
  srand(1);
  for (int i = 0; i < COUNT; ++i) numbers[i] = rand();
}

int main(int argc, char **argv) {
  int rank;
  static int numbers[COUNT], expected[COUNT];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fill(numbers);
  MPI_Bcast(numbers, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
  fill(expected);
  for (int i = 0; i < COUNT; ++i)
    if (numbers[i] != expected[i]) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
