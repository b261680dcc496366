// SPDX-License-Identifier: BSD-3-Clause
// fortran_program.c - calls the glue as a Fortran program would; it knows nothing of mpi.h.
//
// Calls: mpi_init 1, mpi_comm_rank 1, mpi_send 3, mpi_recv 3, mpi_barrier 1, mpi_wtime 1, mpi_finalize 1; with the
// argument "bcast" also mpi_comm_size 1, mpi_bcast 2.

#include "glue.h"

#include <stdio.h>
#include <string.h>

static const int world = 0x101, integer = 0x219, one = 1;

static void broadcast(void) {
  const int root = 0;
  int size = -1, value = 9, error = -1;
  mpi_comm_size_(&world, &size, &error);
  for (int i = 0; i < 2; ++i) mpi_bcast_(&value, &one, &integer, &root, &world, &error);
  printf("broadcast %d to %d, error %d\n", value, size, error);
}

int main(int argc, char **argv) {
  const int tag = 5;
  int rank = -1, error = -1, sum = 0, status[8];
  mpi_init_(&error);
  mpi_comm_rank_(&world, &rank, &error);
  for (int i = 1; i <= 3; ++i) {
    int value = 0;
    mpi_send_(&i, &one, &integer, &rank, &tag, &world, &error);
    mpi_recv_(&value, &one, &integer, &rank, &tag, &world, status, &error);
    sum += value * status[1];
  }
  if (argc > 1 && strcmp(argv[1], "bcast") == 0) broadcast();
  mpi_barrier_(&world, &error);
  printf("sum %d, error %d, time %s\n", sum, error, mpi_wtime_() > 0 ? "runs" : "stands");
  mpi_finalize_(&error);
  return 0;
}
