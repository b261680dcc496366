// SPDX-License-Identifier: BSD-3-Clause
// part.c - a library that a tool opens; its calls belong to the tool's layer.

#include <mpi.h>

int ask_size_twice(void);

int ask_size_twice(void) {
  int past_the_tool = 0;
  int by_the_tool = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &past_the_tool);
  MPI_Comm_size(MPI_COMM_WORLD, &by_the_tool);
  return past_the_tool != 1 || by_the_tool != 1;
}
