// SPDX-License-Identifier: BSD-3-Clause
// meddler.c - a tool whose MPI_Bcast makes MPI calls of its own: two barriers before, one allreduce after.

#define TOOL "meddler"
#include "counts.h"

SEND(COUNTING_WRAPPER)
RECV(COUNTING_WRAPPER)
BARRIER(COUNTING_WRAPPER)
COMM_RANK(COUNTING_WRAPPER)
COMM_SIZE(COUNTING_WRAPPER)
OTHER_FUNCTIONS(COUNTING_WRAPPER)
REPORTING_FINALIZE

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int one = 1;
  int sum = 0;
  count_call(number_of_Bcast);
  PMPI_Barrier(comm);
  PMPI_Barrier(comm);
  const int result = PMPI_Bcast(buffer, count, type, root, comm);
  PMPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return result;
}
