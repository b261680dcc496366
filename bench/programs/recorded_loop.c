/* SPDX-License-Identifier: BSD-3-Clause */
/* recorded_loop.c - what calls cost that a tool looks at the clock before and after, and a reading of the clock. */
/* recorded_loop [BLOCKS [CALLS]] prints one line of JSON; callgrind looks at the function `pairs`, as in rank_loop.c. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

static void sends(long count) {
  const char from = 0;
  for (long i = 0; i < count; ++i) MPI_Send(&from, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF);
}

__attribute__((noinline)) void pairs(long count) {
  const char from = 0;
  MPI_Request request;
  for (long i = 0; i < count; ++i) {
    MPI_Isend(&from, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static unsigned long long ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return (unsigned long long)now_ns();
#endif
}

static volatile unsigned long long last_tick;
static void clock_readings(long count) {
  for (long i = 0; i < count; ++i) last_tick = ticks();
}

int main(int argc, char **argv) {
  const long blocks = argc > 1 ? atol(argv[1]) : 200;
  const long count = argc > 2 ? atol(argv[2]) : 2000;
  MPI_Init(&argc, &argv);
  if (blocks == 0) run_counted(pairs, count);
  const double send_ns = fastest(sends, blocks, count);
  const double pair_ns = fastest(pairs, blocks, count);
  const double clock_ns = fastest(clock_readings, blocks, count);
  printf("{\"send_ns\": %.2f, \"pair_ns\": %.2f, \"clock_ns\": %.2f}\n", send_ns, pair_ns, clock_ns);
  MPI_Finalize();
  return 0;
}
