// SPDX-License-Identifier: BSD-3-Clause
// steady.c - steps of work and communication for as long as a file is there: steady FILE; rank r works r times as long as rank 1
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <time.h>
#include <unistd.h>

static void work(int rank) {
  const struct timespec time = {0, 3000000L * rank};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  int rank, size, goes_on = 1;
  double sum = 0, own = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  while (goes_on) {
    work(rank);
    for (int i = 0; i < 3; ++i)
      MPI_Sendrecv(&own, 1, MPI_DOUBLE, (rank + 1) % size, 0, &sum, 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) goes_on = argc > 1 && access(argv[1], F_OK) == 0;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
