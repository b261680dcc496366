// SPDX-License-Identifier: BSD-3-Clause
// others.c - counts the functions that no other test tool wraps, one of which returns no error code.

#include <mpi.h>

#include "say.h"

static int times = 0;
static int questions = 0;

double MPI_Wtime(void) {
  ++times;
  return PMPI_Wtime();
}

int MPI_Abi_get_version(int *major, int *minor) {
  ++questions;
  return PMPI_Abi_get_version(major, minor);
}

int MPI_Finalize(void) {
  say("others Wtime=%d Abi_get_version=%d", times, questions);
  return PMPI_Finalize();
}
