// SPDX-License-Identifier: BSD-3-Clause
// passes.c - on one rank, 250 steps that send a message with the step's number as its tag to nobody, each an iteration,
// within "outer"; 5 in a region that it calls "setup" before. `passes MILLISECONDS`: each step lasts for so long.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "cairn/region.h"

static void step(int tag, long milliseconds) {
  const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
  if (milliseconds != 0) nanosleep(&pause, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long milliseconds = argc > 1 ? atol(argv[1]) : 0;
  cairn_region_begin("setup");
  for (int i = 0; i < 5; ++i) step(1000 + i, 0);
  cairn_region_end("setup");
  cairn_region_begin("outer");
  for (int i = 0; i < 250; ++i) {
    cairn_iteration_begin(i);
    step(i, milliseconds);
    cairn_iteration_end();
  }
  cairn_region_end(NULL);
  MPI_Finalize();
}
