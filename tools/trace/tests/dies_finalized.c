// SPDX-License-Identifier: BSD-3-Clause
// dies_finalized.c - a tool in which rank 0 is killed as soon as MPI is finalized, as by a launcher that sees another process
// end with an error
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int result = PMPI_Finalize();
  if (rank == 0) kill(getpid(), SIGKILL);
  return result;
}
