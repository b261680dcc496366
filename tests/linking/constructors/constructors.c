// SPDX-License-Identifier: BSD-3-Clause
// constructors.c - a tool with a constructor, which asks MPI two questions, and a destructor.

#define TOOL "constructors"
#include "counts.h"

FUNCTIONS(COUNTING_WRAPPER)
REPORTING_FINALIZE

static int lifetimes = 0;

__attribute__((constructor)) static void construct(void) {
  int initialized = -1;
  int version = 0;
  int subversion = 0;
  const int result = MPI_Initialized(&initialized);
  const int result_of_version = PMPI_Get_version(&version, &subversion);
  ++lifetimes;
  say("constructed %d: lifetimes %d, results %d %d, initialized %d, version is %s", (int)getpid(), lifetimes, result,
      result_of_version, initialized, version == MPI_VERSION ? "right" : "wrong");
}

__attribute__((destructor)) static void destroy(void) {
  --lifetimes;
  say("destroyed %d: lifetimes %d", (int)getpid(), lifetimes);
}
