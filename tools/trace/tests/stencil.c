// SPDX-License-Identifier: BSD-3-Clause
// stencil.c - exchanges with both neighbors and works, STEPS times; a sum in every tenth step. `stencil STEPS FILE`: then
// waits until FILE has grown three times, and is killed.
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { halo = 128, cells = 1000 };

static void die_when_it_is_written(const char* path) {
  struct stat about = {0};
  off_t last = 0;
  for (int grown = -1; grown < 3; usleep(10000)) {
    stat(path, &about);
    if (about.st_size != last) ++grown;
    last = about.st_size;
  }
  kill(getpid(), SIGKILL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = rank == 0 ? MPI_PROC_NULL : rank - 1, right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
  static double in[2][halo], out[2][halo], field[cells];
  for (int step = 0, steps = atoi(argv[1]); step < steps; ++step) {
    MPI_Request all[4];
    MPI_Irecv(in[0], halo, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(in[1], halo, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(out[0], halo, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(out[1], halo, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    for (int i = 1; i < cells - 1; ++i) field[i] = 0.5 * (field[i - 1] + field[i + 1]) + in[0][i % halo];
    double sum;
    if (step % 10 == 9) MPI_Allreduce(&field[1], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (argc > 2 && rank == 0) die_when_it_is_written(argv[2]);
  MPI_Finalize();
}
