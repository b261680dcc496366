// SPDX-License-Identifier: BSD-3-Clause
// order.c - a tool that says when a barrier enters it and when it leaves; built under several names.

#include "say.h"

#include <mpi.h>

int MPI_Barrier(MPI_Comm comm) {
  int rank = -1;
  PMPI_Comm_rank(comm, &rank);
  say("enter %d " TOOL, rank);
  const int result = PMPI_Barrier(comm);
  say("leave %d " TOOL, rank);
  return result;
}
