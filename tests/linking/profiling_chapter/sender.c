// SPDX-License-Identifier: BSD-3-Clause
// sender.c - sends 3 times 10 doubles to nobody, with profiling off, on and flushed in between.

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  double values[10] = {0};
  MPI_Init(&argc, &argv);
  for (int level = 0; level < 3; ++level) {
    MPI_Pcontrol(level);
    MPI_Send(values, 10, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return printf("sent\n") < 0;
}
