// SPDX-License-Identifier: BSD-3-Clause
// plugin.c - a library that the program opens; its calls are the program's.

#include <mpi.h>

int meet(void);

int meet(void) { return MPI_Barrier(MPI_COMM_WORLD); }
