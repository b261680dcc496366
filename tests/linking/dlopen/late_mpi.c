// SPDX-License-Identifier: BSD-3-Clause
// late_mpi.c - a library with MPI calls and no start of MPI, to be opened by a program that has started it.
//
// Calls of every rank: Barrier 3.

#include <mpi.h>

int three_barriers(void);

int three_barriers(void) {
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}
