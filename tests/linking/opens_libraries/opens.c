// SPDX-License-Identifier: BSD-3-Clause
// opens.c - a tool whose MPI_Barrier opens a library of its own, closes it, opens it again and calls it.
//
// The library, part.so beside it, calls MPI_Comm_size twice and MPI_Barrier not at all.

#define _GNU_SOURCE
#include <dlfcn.h>

#define TOOL "opens"
#include "counts.h"

REPORTING_FINALIZE

static void *open_part(void) {
  void *part = dlopen(PART, RTLD_LAZY | RTLD_LOCAL);
  if (part == NULL) say("%s", dlerror());
  return part;
}

int MPI_Barrier(MPI_Comm comm) {
  count_call(number_of_Barrier);
  dlclose(open_part());
  void *part = open_part();
  ((void (*)(MPI_Comm))dlsym(part, "ask_twice"))(comm);
  return PMPI_Barrier(comm);
}
