// SPDX-License-Identifier: BSD-3-Clause
// opens_late.c - a program that starts MPI, opens a library with MPI calls, closes it and opens it again.
//
// Usage: opens_late PLUGIN. Own calls of every rank: Init 1, Comm_rank 1, Finalize 1; the plugin's are made twice.

#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; ++i) {
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (plugin == NULL) {
      fprintf(stderr, "opens_late: error: %s\n", dlerror());
      return 2;
    }
    ((int (*)(void))dlsym(plugin, "three_barriers"))();
    dlclose(plugin);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
