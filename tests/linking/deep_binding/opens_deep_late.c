// SPDX-License-Identifier: BSD-3-Clause
// opens_deep_late.c - a program that starts MPI and then opens, with RTLD_DEEPBIND, a C and a Fortran library that call
// it.
//
// Usage: opens_deep_late C-PLUGIN FORTRAN-PLUGIN. Own calls of every rank: Init 1, Comm_rank 1, Finalize 1.

#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>

static int call(const char *path, const char *name) {
  void *plugin = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
  if (plugin == NULL) {
    fprintf(stderr, "opens_deep_late: error: %s\n", dlerror());
    return 2;
  }
  return ((int (*)(void))dlsym(plugin, name))();
}

int main(int argc, char **argv) {
  int rank = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int wrong = argc == 3 ? call(argv[1], "three_barriers") + call(argv[2], "exchange_in_fortran_") : 2;
  if (rank == 0) printf("%d wrong\n", wrong);
  MPI_Finalize();
  return 0;
}
