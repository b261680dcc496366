/* SPDX-License-Identifier: BSD-3-Clause */
/* watched.c - a job that tells how long its steps took in each millisecond, for what watches it by turns. */
/* watched pingpong|heat SECONDS, 2 ranks; at the end rank 0 prints "<moment> <ns per step>" lines, moments in ns of the system's
 * monotonic clock. A step is a message of 8 bytes there and back, or one of the heat equation on 400 x 200 cells per
 * rank with an exchange of edges and a sum. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum { width = 400, height = 200, most_slices = 200000 };

static int rank;
static double old[height + 2][width], new[height + 2][width];

static void pingpong(void) {
  char ball[8] = {0};
  if (rank == 0) MPI_Send(ball, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(ball, 8, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(ball, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static void heat(void) {
  double change = 0, all;
  const int edge = rank == 0 ? height : 1, beyond = rank == 0 ? height + 1 : 0;
  MPI_Sendrecv(old[edge], width, MPI_DOUBLE, 1 - rank, 0, old[beyond], width, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int y = 1; y <= height; ++y)
    for (int x = 1; x < width - 1; ++x) {
      new[y][x] = 0.25 * (old[y - 1][x] + old[y + 1][x] + old[y][x - 1] + old[y][x + 1]);
      change += new[y][x] - old[y][x];
    }
  memcpy(old[1], new[1], sizeof(double) * width * height);
  MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  old[1][0] = all;
}

static long take(void (*step)(void), long steps) {
  const double begin = now_ns();
  for (long i = 0; i < steps; ++i) step();
  return (long)(now_ns() - begin);
}

/* As many as take a millisecond when nothing else runs. */
static int steps_of_a_slice(void (*step)(void)) {
  long least = 1000000000;
  for (int i = 0; i < 50; ++i) {
    const long ns = take(step, 4);
    if (ns < least) least = ns;
  }
  return least < 4000000 ? (int)(4000000 / least) : 1;
}

int main(int argc, char **argv) {
  static double moments[most_slices], ns[most_slices];
  int slices = 0, goes_on = 1, steps;
  void (*const step)(void) = argc > 1 && strcmp(argv[1], "heat") == 0 ? heat : pingpong;
  const double seconds = argc > 2 ? atof(argv[2]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  steps = steps_of_a_slice(step);
  MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (const double end = now_ns() + 1e9 * seconds; goes_on; ++slices) {
    ns[slices] = (double)take(step, steps) / steps;
    moments[slices] = now_ns();
    goes_on = moments[slices] < end && slices + 1 < most_slices;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  for (int i = 0; rank == 0 && i < slices; ++i) printf("%.0f %.1f\n", moments[i], ns[i]);
  MPI_Finalize();
  return 0;
}
