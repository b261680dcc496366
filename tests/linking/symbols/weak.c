// SPDX-License-Identifier: BSD-3-Clause
// weak.c - a tool that exports each MPI_X as a weak alias of a local function, as tools with Fortran wrappers do.

#define TOOL "weak"
#include "counts.h"

#define LOCAL_WITH_WEAK_ALIAS(name, parameters, arguments) \
  static int local_##name parameters {                     \
    count_call(number_of_##name);                          \
    return PMPI_##name arguments;                          \
  }                                                        \
  int MPI_##name parameters __attribute__((weak, alias("local_" #name)));
FUNCTIONS(LOCAL_WITH_WEAK_ALIAS)
REPORTING_FINALIZE
