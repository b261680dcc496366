// SPDX-License-Identifier: BSD-3-Clause
// opens_fortran.c - a C program that opens a Fortran library after MPI_Init; only then comes the MPI's Fortran part.
//
// Usage: opens_fortran PLUGIN. Own calls of every rank: Init 1, Comm_rank 1, Finalize 1.

#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (plugin == NULL) {
    fprintf(stderr, "opens_fortran: error: %s\n", dlerror());
    return 2;
  }
  int (*const exchange)(void) = (int (*)(void))dlsym(plugin, "exchange_in_fortran_");
  const int wrong = exchange();
  if (rank == 0) printf("%d values wrong\n", wrong);
  MPI_Finalize();
  return 0;
}
