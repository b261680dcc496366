// SPDX-License-Identifier: BSD-3-Clause
// weak_library.c - an MPI library on a system with weak symbols: each function once, under both names.

#pragma weak MPI_Init = PMPI_Init
#pragma weak MPI_Initialized = PMPI_Initialized
#pragma weak MPI_Finalize = PMPI_Finalize
#pragma weak MPI_Send = PMPI_Send
#pragma weak MPI_Type_size = PMPI_Type_size
#pragma weak MPI_Wtime = PMPI_Wtime
#pragma weak MPI_Pcontrol = PMPI_Pcontrol

#define FUNCTION(name) P##name
#include "own_library.h"
