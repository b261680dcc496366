// SPDX-License-Identifier: BSD-3-Clause
// marks.c - 300,000 times a region that lasts 2 us, without any call of MPI that is recorded
#include <mpi.h>

#include "cairn/region.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 300000; ++i) {
    cairn_region_begin("short");
    for (const double until = MPI_Wtime() + 2e-6; MPI_Wtime() < until;) {
    }
    cairn_region_end("short");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
