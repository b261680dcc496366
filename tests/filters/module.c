// SPDX-License-Identifier: BSD-3-Clause
// module.c - a PMPI tool as PnMPI's users have them: says what it sees of MPI_Comm_rank and MPI_Pcontrol.
//
// BELOW is PMPI_, or XMPI_ as pnmpi-patch leaves it. With USES_PNMPI it calls what no PnMPI has.

#include <mpi.h>
#include <stdio.h>

#define JOINED(prefix, name) prefix##name
#define NAMED(prefix, name) JOINED(prefix, name)

int NAMED(BELOW, Comm_rank)(MPI_Comm comm, int *rank);
int NAMED(BELOW, Pcontrol)(const int level, ...);

#ifdef USES_PNMPI
int PNMPI_Service_Later(const char *name);
#endif

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
#ifdef USES_PNMPI
  PNMPI_Service_Later("size");
#endif
  fprintf(stderr, NAME ": rank\n");
  return NAMED(BELOW, Comm_rank)(comm, rank);
}

int MPI_Pcontrol(const int level, ...) {
  fprintf(stderr, NAME ": level %d\n", level);
  return NAMED(BELOW, Pcontrol)(level);
}
