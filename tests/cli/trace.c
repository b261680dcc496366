// SPDX-License-Identifier: BSD-3-Clause
// trace.c - a tool that says on standard error that a rank's MPI_Init went through it; NAME comes from the compiler.
//
// Calls of the tools of one stack happen outermost first, so the order of their lines is the order of the layers.

#include <mpi.h>

#include <unistd.h>

int MPI_Init(int *argc, char ***argv) {
  static const char line[] = "trace " NAME "\n";
  if (write(STDERR_FILENO, line, sizeof line - 1) < 0) return MPI_ERR_OTHER;
  return PMPI_Init(argc, argv);
}
