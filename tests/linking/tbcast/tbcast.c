// SPDX-License-Identifier: BSD-3-Clause
// tbcast.c - a tool that replaces MPI_Bcast by messages from the root to everyone.

#define TOOL "tbcast"
#include "counts.h"

SEND(COUNTING_WRAPPER)
RECV(COUNTING_WRAPPER)
BARRIER(COUNTING_WRAPPER)
COMM_RANK(COUNTING_WRAPPER)
COMM_SIZE(COUNTING_WRAPPER)
OTHER_FUNCTIONS(COUNTING_WRAPPER)
REPORTING_FINALIZE

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  enum { TAG = 4711 };
  int rank = -1;
  int size = 0;
  count_call(number_of_Bcast);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  if (rank != root) return PMPI_Recv(buffer, count, type, root, TAG, comm, MPI_STATUS_IGNORE);
  for (int other = 0; other < size; ++other)
    if (other != root) PMPI_Send(buffer, count, type, other, TAG, comm);
  return MPI_SUCCESS;
}
