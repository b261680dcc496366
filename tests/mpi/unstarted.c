/* SPDX-License-Identifier: BSD-3-Clause */
/* unstarted.c - finalizes MPI without having started it, as a program may that has found its arguments wrong. */
#include <mpi.h>

int main(void) {
  MPI_Finalize();
  return 2;
}
