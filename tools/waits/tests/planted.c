/* SPDX-License-Identifier: BSD-3-Clause */
/* planted.c - a program with one problem of known size: its first argument says which, "" for none. Ranks sleep instead of
   working, so that the machine's load does not matter. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { steps = 10, late = 40, usual = 4, large = 1 << 18 };

static double buffer[large], other[large];

static void work(int milliseconds) {
  struct timespec rest = {0, milliseconds * 1000000L};
  nanosleep(&rest, NULL);
}

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

static void halo(int rank, int size, int is_late) {
  MPI_Request requests[2];
  MPI_Irecv(other, 8, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
  work(rank == 3 && is_late ? late : usual);
  MPI_Isend(buffer, 8, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* halo */
}

static void root(int rank, int is_late) {
  work(rank == 0 && is_late ? late : usual);
  MPI_Bcast(buffer, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* broadcast */
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int is_late = argc < 3;
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    if (strcmp(what, "barrier") == 0) barrier(rank, is_late);
    if (strcmp(what, "sender") == 0) sender(rank, is_late);
    if (strcmp(what, "receiver") == 0) receiver(rank, is_late);
    if (strcmp(what, "halo") == 0) halo(rank, size, is_late);
    if (strcmp(what, "root") == 0) root(rank, is_late);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%f\n", MPI_Wtime() - begin);
  if (argc > 3 && rank == 1) abort();
  MPI_Finalize();
  return 0;
}
