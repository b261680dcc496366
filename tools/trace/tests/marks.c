// SPDX-License-Identifier: BSD-3-Clause
// marks.c - a region begun and ended 98,304 times, without any call of MPI that is recorded; after every 8,192, which are a quarter of the
// records that a ring has room for unless told otherwise, the program sleeps, so that a reader that is woken comes to a processor
#include <mpi.h>
#include <time.h>

#include "cairn/region.h"

int main(int argc, char** argv) {
  const struct timespec nap = {0, 100000000};
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i <= 98304; ++i) {
    cairn_region_begin("short");
    cairn_region_end("short");
    if (i % 8192 == 0) nanosleep(&nap, NULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
