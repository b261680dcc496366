// SPDX-License-Identifier: BSD-3-Clause
// two_nodes.c - a layer on which processes seem to be on two nodes in turn, by the rank that they were started with
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int MPI_Get_processor_name(char* name, int* length) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  *length = sprintf(name, "node%d", rank ? atoi(rank) % 2 : 0);
  return MPI_SUCCESS;
}
