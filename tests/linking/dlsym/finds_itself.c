// SPDX-License-Identifier: BSD-3-Clause
// finds_itself.c - a tool that looks up MPI_X in the default scope, where a preloaded tool comes before the library.
//
// Its MPI_Barrier calls MPI_Comm_size, which it wraps, and MPI_Comm_rank, which it does not, so found.

#define _GNU_SOURCE
#include <dlfcn.h>

#define TOOL "finds_itself"
#include "counts.h"

COMM_SIZE(COUNTING_WRAPPER)
REPORTING_FINALIZE

int MPI_Barrier(MPI_Comm comm) {
  int number = 0;
  count_call(number_of_Barrier);
  ((int (*)(MPI_Comm, int *))dlsym(RTLD_DEFAULT, "MPI_Comm_size"))(comm, &number);
  ((int (*)(MPI_Comm, int *))dlsym(RTLD_DEFAULT, "MPI_Comm_rank"))(comm, &number);
  return PMPI_Barrier(comm);
}
