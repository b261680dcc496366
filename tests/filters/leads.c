// SPDX-License-Identifier: BSD-3-Clause
// leads.c - a PMPI tool that says, whenever the program asks for the size of a communicator, in which files its own
// calls of a few functions end up.

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *file_of(void *function) {
  Dl_info where;
  if (dladdr(function, &where) == 0) return "nowhere";
  const char *slash = strrchr(where.dli_fname, '/');
  return slash == NULL ? where.dli_fname : slash + 1;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  fprintf(stderr, "leads: rank %s, version %s, free %s, finalize %s\n", file_of((void *)PMPI_Comm_rank),
          file_of((void *)PMPI_Get_version), file_of((void *)PMPI_Comm_free), file_of((void *)PMPI_Finalize));
  return PMPI_Comm_size(comm, size);
}
