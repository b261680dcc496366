// SPDX-License-Identifier: BSD-3-Clause
// asks.c - a tool whose MPI_Barrier calls MPI_Comm_size three times by that name, not as PMPI_Comm_size.
//
// OWN_WRAPPER: the tool also has a wrapper of MPI_Comm_size, which then gets these calls.

#define TOOL "asks"
#include "counts.h"

#ifdef OWN_WRAPPER
COMM_SIZE(COUNTING_WRAPPER)
#endif
REPORTING_FINALIZE

int MPI_Barrier(MPI_Comm comm) {
  int size = 0;
  count_call(number_of_Barrier);
  for (int i = 0; i < 3; ++i) MPI_Comm_size(comm, &size);
  return PMPI_Barrier(comm);
}
