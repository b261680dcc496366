/* SPDX-License-Identifier: BSD-3-Clause */
/* traced.c - calls to record, for traced.py; prints one line of JSON on rank 0. */
/* traced KIND CALLS, 2 ranks; calls of each rank:
 *   stencil   steps of five: a receive and a send begun, both waited for, work of about a microsecond, every second
 *             step a sum over the ranks
 *   irregular the same with sizes, tags and work at random, alike on both ranks
 *   equal     sends of rank 0 that rank 1 receives 64 at a time, and a barrier; counted as rank 0 calls */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum { most = 512, window = 64 };

static int rank;
static long calls;
static char out[most], in[window][most];

static unsigned long next_random(void) {
  static unsigned long state = 88172645463325252UL;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void work(unsigned turns) {
  static volatile double value = 1;
  for (unsigned i = 0; i < turns; ++i) value = value * 0.999 + 0.001;
}

static void exchange(int bytes, int tag) {
  MPI_Request requests[2];
  MPI_Irecv(in[0], most, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, bytes, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  calls += 3;
}

static void reduce(void) {
  double own = rank, sum;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  ++calls;
}

static void stencil(long step) {
  exchange(most, 7);
  work(200);
  if (step % 2 != 0) reduce();
}

static void irregular(long step) {
  (void)step;
  const unsigned long chance = next_random();
  exchange(1 + (int)(chance % most), (int)(chance >> 16 & 1023));
  work((unsigned)(chance >> 32 & 511));
  if ((chance >> 48) % 4 == 0) reduce();
}

static void equal(long step) {
  MPI_Request requests[window];
  (void)step;
  if (rank == 0) {
    for (int i = 0; i < window; ++i) MPI_Send(out, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  } else {
    for (int i = 0; i < window; ++i) MPI_Irecv(in[i], 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  calls += window + 1;
}

int main(int argc, char **argv) {
  const char *const kind = argc > 1 ? argv[1] : "";
  const long wanted = argc > 2 ? atol(argv[2]) : 0;
  void (*const step)(long) = strcmp(kind, "stencil") == 0     ? stencil
                             : strcmp(kind, "irregular") == 0 ? irregular
                             : strcmp(kind, "equal") == 0     ? equal
                                                              : NULL;
  double begin, end;
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2 || step == NULL || wanted < 1) {
    if (rank == 0) fprintf(stderr, "usage: traced stencil|irregular|equal CALLS, on 2 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  begin = now_ns();
  for (long i = 0; calls < wanted; ++i) step(i);
  end = now_ns();
  if (rank == 0) printf("{\"calls\": %ld, \"s\": %.3f}\n", calls, 1e-9 * (end - begin));
  MPI_Finalize();
  return 0;
}
