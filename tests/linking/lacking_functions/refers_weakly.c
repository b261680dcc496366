// SPDX-License-Identifier: BSD-3-Clause
// refers_weakly.c - a program that uses MPI_Session_init only if the library has it, by a weak reference.
//
// Works with one rank. Calls: Init 1, Finalize 1. Built without mpi.h's MPI 4 declarations, for every MPI alike.

#include <mpi.h>

#include <stdio.h>

#if MPI_VERSION < 4
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, void *session);
#endif
#pragma weak MPI_Session_init

int main(int argc, char **argv) {
  int (*const volatile before)() = (int (*)())MPI_Session_init;
  MPI_Init(&argc, &argv);
  int (*const volatile after)() = (int (*)())MPI_Session_init;
  printf("before %s, after %s\n", before != NULL ? "yes" : "no", after != NULL ? "yes" : "no");
  MPI_Finalize();
  return 0;
}
