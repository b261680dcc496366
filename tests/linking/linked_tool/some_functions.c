// SPDX-License-Identifier: BSD-3-Clause
// some_functions.c - a tool without a wrapper of MPI_Init, so that the program's first MPI call is not one of its own.

#define TOOL "some_functions"
#include "counts.h"

SEND(COUNTING_WRAPPER)
BCAST(COUNTING_WRAPPER)
BARRIER(COUNTING_WRAPPER)
REPORTING_FINALIZE
