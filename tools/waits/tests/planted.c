/* SPDX-License-Identifier: BSD-3-Clause */
/* planted.c - a program with one problem of known size: its first argument says which, "" for none. */

#include <mpi.h>
#include <string.h>

#include "cairn/region.h"
#include "work.h"

enum { steps = 10, late = 40, usual = 4, large = 1 << 18 };

static double buffer[large], other[large];

static void barrier(int rank, int is_late) {
  work(rank == 2 && is_late ? late : usual);
  MPI_Barrier(MPI_COMM_WORLD); /* barrier */
}

static void sender(int rank, int is_late) {
  if (rank == 1) {
    work(is_late ? late : usual);
    MPI_Send(buffer, 8, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD); /* late send */
  } else if (rank == 0) {
    work(usual);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* probe */
    MPI_Recv(buffer, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void receiver(int rank, int is_late) {
  if (rank == 0) {
    work(usual);
    MPI_Send(buffer, large, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD); /* large send */
  } else if (rank == 1) {
    work(is_late ? late : usual);
    MPI_Recv(buffer, large, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* late receive */
  }
}

static void halo(int rank, int is_late) {
  MPI_Request requests[2];
  work(rank == 1 && is_late ? late : usual);
  MPI_Irecv(other, 8, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]); /* halo begins */
  MPI_Isend(buffer, 8, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* halo */
}

static void root(int rank, int is_late) {
  work(rank == 0 && is_late ? late : usual);
  MPI_Bcast(buffer, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* broadcast */
  MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Win window;
static double exposed[8];

/* Rank 0 exposes its memory, and rank 1 writes to it. */
static void expose(int rank, int is_late, int is_late_complete) {
  MPI_Group world, other;
  const int partner = 1 - rank;
  if (rank > 1) return;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &partner, &other);
  if (rank == 0) {
    work(is_late && !is_late_complete ? late : usual);
    MPI_Win_post(other, 0, window); /* post */
    MPI_Win_wait(window);           /* wait */
  } else {
    if (!is_late_complete) work(usual);
    MPI_Win_start(other, 0, window); /* start */
    MPI_Put(buffer, 8, MPI_DOUBLE, 0, 0, 8, MPI_DOUBLE, window);
    if (is_late_complete) work(is_late ? late : usual);
    MPI_Win_complete(window); /* complete */
  }
  MPI_Group_free(&other);
  MPI_Group_free(&world);
}
static void post(int rank, int is_late) { expose(rank, is_late, 0); }
static void complete(int rank, int is_late) { expose(rank, is_late, 1); }

/* Rank 0 holds the lock, and rank 1 comes to it soon after. */
static void lock(int rank, int is_late) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) work(5 * usual); /* late, so that it is the second one on a loaded machine too */
  if (rank > 1) return;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window); /* lock */
  MPI_Put(buffer, 8, MPI_DOUBLE, 2, 0, 8, MPI_DOUBLE, window);
  MPI_Win_flush(2, window); /* flush */
  if (rank == 0) work(is_late ? late + 4 * usual : usual);
  MPI_Win_unlock(2, window); /* unlock */
}

static MPI_Comm ring;

/* In a line, only the neighbors of a late rank wait for it. */
static void neighbors(int rank, int is_late) {
  work(rank == 0 && is_late ? late : usual);
  MPI_Neighbor_alltoall(buffer, 1, MPI_DOUBLE, other, 1, MPI_DOUBLE, ring); /* neighbors */
}

/* Work in a region, and a call outside of it. */
static void region(int rank, int is_late) {
  cairn_region_begin("solve");
  cairn_region_begin("inner");
  work(rank == 2 && is_late ? late : usual);
  cairn_region_end("inner");
  cairn_region_end("solve");
  MPI_Barrier(MPI_COMM_WORLD); /* region */
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int is_late = argc < 3;
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int no = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &no, 0, &ring);
  const int has_window =
      strcmp(what, "post") == 0 || strcmp(what, "complete") == 0 || strcmp(what, "lock") == 0 || argc > 3;
  if (has_window) MPI_Win_create(exposed, sizeof exposed, sizeof exposed[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    if (strcmp(what, "barrier") == 0) barrier(rank, is_late);
    if (strcmp(what, "sender") == 0) sender(rank, is_late);
    if (strcmp(what, "receiver") == 0) receiver(rank, is_late);
    if (strcmp(what, "halo") == 0) halo(rank, is_late);
    if (strcmp(what, "root") == 0) root(rank, is_late);
    if (strcmp(what, "post") == 0) post(rank, is_late);
    if (strcmp(what, "complete") == 0) complete(rank, is_late);
    if (strcmp(what, "lock") == 0) lock(rank, is_late);
    if (strcmp(what, "neighbors") == 0) neighbors(rank, is_late);
    if (strcmp(what, "region") == 0) region(rank, is_late);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%f\n", MPI_Wtime() - begin);
  if (argc > 3 && strcmp(argv[3], "die in an epoch") == 0 && rank == 1) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  if (argc > 3 && rank == 1) abort();
  if (has_window) MPI_Win_free(&window);
  MPI_Comm_free(&ring);
  for (int step = 0; step < steps && strcmp(what, "end") == 0; ++step) work(rank == 1 ? late : usual);
  tell_work();
  MPI_Finalize(); /* end */
  return 0;
}
