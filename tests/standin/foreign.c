// SPDX-License-Identifier: BSD-3-Clause
// foreign.c - a tool for another MPI; what gives it away is a library it needs or, with BY_SYMBOL, a name of that
// library's.

#include <mpi.h>

#ifdef BY_SYMBOL
extern char ompi_mpi_comm_world;
char *world_of_open_mpi = &ompi_mpi_comm_world;
#endif

int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }
