/* SPDX-License-Identifier: BSD-3-Clause */
/* sizes.c - ns of a call on rank 0 by size, 0 B to 1 MB: Send, Bcast, Alltoall, Put, Get; fastest block of each. */
/* sizes [BLOCKS], 2 ranks; prints one line of JSON on rank 0: for each call its sizes and times. One-sided blocks end
 * with a flush. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

enum { LARGEST = 1 << 20, MOST = 100 };
static const int sizes[] = {0, 1, 8, 64, 512, 4096, 32768, 262144, LARGEST};

static int rank;
static char *from, *to;
static MPI_Win window;
static MPI_Request requests[MOST];

/* Messages one after the other, to receives that are there. */
static void send_block(int calls, int size) {
  for (int i = 0; i < calls; ++i) {
    if (rank == 0) MPI_Send(from, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
}

static void prepare_send(int calls, int size) {
  if (rank == 1)
    for (int i = 0; i < calls; ++i) MPI_Irecv(to, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[i]);
}

static void bcast_block(int calls, int size) {
  for (int i = 0; i < calls; ++i) MPI_Bcast(from, size, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void alltoall_block(int calls, int size) {
  for (int i = 0; i < calls; ++i) MPI_Alltoall(from, size, MPI_CHAR, to, size, MPI_CHAR, MPI_COMM_WORLD);
}

static void put_block(int calls, int size) {
  if (rank != 0) return;
  for (int i = 0; i < calls; ++i) MPI_Put(from, size, MPI_CHAR, 1, 0, size, MPI_CHAR, window);
  MPI_Win_flush(1, window);
}

static void get_block(int calls, int size) {
  if (rank != 0) return;
  for (int i = 0; i < calls; ++i) MPI_Get(from, size, MPI_CHAR, 1, 0, size, MPI_CHAR, window);
  MPI_Win_flush(1, window);
}

static int calls_of(int size) { return size <= 4096 ? MOST : size <= 32768 ? 20 : 5; }

static double fastest_block(void (*prepare)(int, int), void (*work)(int, int), int size, long blocks) {
  const int calls = calls_of(size);
  double least = 1e18;
  for (long block = 0; block < blocks; ++block) {
    if (prepare != NULL) prepare(calls, size);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now_ns();
    work(calls, size);
    const double each = (now_ns() - begin) / calls;
    if (each < least) least = each;
  }
  return least;
}

static void measure(const char *name, void (*prepare)(int, int), void (*work)(int, int), long blocks) {
  if (rank == 0) printf("%s\"%s\": {", work == send_block ? "{" : ", ", name);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const double least = fastest_block(prepare, work, sizes[i], blocks);
    if (rank == 0) printf("%s\"%d\": %.1f", i == 0 ? "" : ", ", sizes[i], least);
  }
  if (rank == 0) printf("}");
}

int main(int argc, char **argv) {
  const long blocks = argc > 1 ? atol(argv[1]) : 200;
  char *shown;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  from = calloc(2, LARGEST);
  to = calloc(2, LARGEST);
  MPI_Win_allocate(LARGEST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shown, &window);
  MPI_Win_lock_all(0, window);
  measure("Send", prepare_send, send_block, blocks);
  measure("Bcast", NULL, bcast_block, blocks);
  measure("Alltoall", NULL, alltoall_block, blocks);
  measure("Put", NULL, put_block, blocks);
  measure("Get", NULL, get_block, blocks);
  if (rank == 0) printf("}\n");
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
