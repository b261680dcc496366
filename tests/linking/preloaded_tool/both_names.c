// SPDX-License-Identifier: BSD-3-Clause
// both_names.c - a tool that wraps MPI_X and PMPI_X alike and keeps the way down in exported variables, as Darshan
// does.
//
// At MPI_Finalize it says "both_names RANK MPI_Barrier=N", its calls by either name.

#define _GNU_SOURCE
#include "say.h"

#include <dlfcn.h>
#include <mpi.h>

int (*__real_PMPI_Barrier)(MPI_Comm) = NULL;
int (*__real_PMPI_Finalize)(void) = NULL;
int barriers = 0;

int PMPI_Barrier(MPI_Comm comm) {
  if (__real_PMPI_Barrier == NULL) __real_PMPI_Barrier = (int (*)(MPI_Comm))dlsym(RTLD_NEXT, "PMPI_Barrier");
  ++barriers;
  return __real_PMPI_Barrier(comm);
}

int PMPI_Finalize(void) {
  int rank = -1;
  if (__real_PMPI_Finalize == NULL) __real_PMPI_Finalize = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  say("both_names %d MPI_Barrier=%d", rank, barriers);
  return __real_PMPI_Finalize();
}

int MPI_Barrier(MPI_Comm comm) __attribute__((alias("PMPI_Barrier")));
int MPI_Finalize(void) __attribute__((alias("PMPI_Finalize")));
