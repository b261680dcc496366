// SPDX-License-Identifier: BSD-3-Clause
// plugin.c - linked with a library for annotations, which its program does not have.

#include <mpi.h>

void cali_begin_region(const char *name);
void cali_end_region(const char *name);

void mark(void);
void mark(void) {
  static void (*const at_the_end)(const char *) = cali_end_region;
  cali_begin_region("of the plugin");
  MPI_Barrier(MPI_COMM_WORLD);
  at_the_end("of the plugin");
}
