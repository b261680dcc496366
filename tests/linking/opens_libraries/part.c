// SPDX-License-Identifier: BSD-3-Clause
// part.c - the library that the tool opens.

#include <mpi.h>

void ask_twice(MPI_Comm comm);

void ask_twice(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  MPI_Comm_size(comm, &size);
}
