/* SPDX-License-Identifier: BSD-3-Clause */
/* app.c - the ./app of the documents: 30 steps of neighbours that exchange, in regions, small reductions, and a second phase. */
#include <mpi.h>
#include <stdlib.h>

#include "cairn/region.h"

enum { LENGTH = 256, STEPS = 30 };

static void exchange(int rank, int size) {
  double out[LENGTH] = {0}, in[LENGTH];
  MPI_Request requests[2];
  MPI_Status statuses[2];
  cairn_region_begin("halo");
  MPI_Irecv(in, LENGTH, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, LENGTH, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  cairn_region_end("halo");
}

int main(int argc, char **argv) {
  int rank, size, one = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < STEPS; ++step) {
    cairn_region_begin("step");
    for (double end = MPI_Wtime() + 0.001; MPI_Wtime() < end;) continue; /* work */
    exchange(rank, size);
    cairn_region_end("step");
  }
  const char *reductions =
      getenv("APP_REDUCTIONS"); /* on a busy machine each takes milliseconds: a policy needs many */
  for (int call = 0; call < (reductions != NULL ? atoi(reductions) : 10); ++call)
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Pcontrol(2);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == size ? 0 : 1;
}
