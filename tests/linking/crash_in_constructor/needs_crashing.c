// SPDX-License-Identifier: BSD-3-Clause
// needs_crashing.c - a tool that is well itself; the library it needs crashes in its constructor.

#define TOOL "needs_crashing"
#include "counts.h"

int crashing_part(void);

SEND(COUNTING_WRAPPER)
REPORTING_FINALIZE

int MPI_Barrier(MPI_Comm comm) { return crashing_part() + PMPI_Barrier(comm); }
