// SPDX-License-Identifier: BSD-3-Clause
// claims_version.c - a PMPI tool that is preloaded: the MPI library says that it is of version CLAIM, and MPI_Init whether PMIx is open by then.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int MPI_Get_library_version(char *text, int *length) {
  strcpy(text, getenv("CLAIM"));
  *length = (int)strlen(text);
  return MPI_SUCCESS;
}

int MPI_Init(int *argc, char ***argv) {
  void *pmix = dlopen("libpmix.so.2", RTLD_LAZY | RTLD_NOLOAD);
  int (*is_open)(void) = (int (*)(void))(pmix ? dlsym(pmix, "PMIx_Initialized") : NULL);
  if (is_open && is_open()) fprintf(stderr, "PMIx is open\n");
  return PMPI_Init(argc, argv);
}
