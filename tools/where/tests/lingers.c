// SPDX-License-Identifier: BSD-3-Clause
// lingers.c - a tool that takes its time once MPI is finalized
#define _GNU_SOURCE
#include <mpi.h>
#include <unistd.h>

int MPI_Finalize(void) {
  const int result = PMPI_Finalize();
  usleep(600000);
  return result;
}
