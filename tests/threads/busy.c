// SPDX-License-Identifier: BSD-3-Clause
// busy.c - sixteen threads in MPI at once, for a known number of calls.
//
// Calls of every rank, with R rounds (first argument): Init_thread 1, Comm_dup 16, Comm_size 16, Comm_rank 16 R,
// Sendrecv 16 R, Comm_free 16, Finalize 1. Each thread exchanges numbers over a communicator of its own with the same
// thread of the rank opposite, which may be its own rank, and checks what comes.

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 16 };

struct work {
  MPI_Comm comm;
  int rounds;
  int number;
  long wrong;
  long sum;
};

static int number(int thread, int rank, int round) { return (thread * 8 + rank) * 1000003 + round; }

static void *run(void *data) {
  struct work *work = data;
  int size = 0;
  MPI_Comm_size(work->comm, &size);
  for (int round = 0; round < work->rounds; ++round) {
    int rank = -1;
    int received = -1;
    MPI_Comm_rank(work->comm, &rank);
    const int opposite = size - 1 - rank;
    const int sent = number(work->number, rank, round);
    MPI_Sendrecv(&sent, 1, MPI_INT, opposite, work->number, &received, 1, MPI_INT, opposite, work->number, work->comm,
                 MPI_STATUS_IGNORE);
    work->wrong += received != number(work->number, opposite, round);
    work->sum += received;
  }
  return NULL;
}

int main(int argc, char **argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    printf("no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 77;
  }
  struct work work[THREADS];
  pthread_t threads[THREADS];
  long wrong = 0;
  long sum = 0;
  for (int i = 0; i < THREADS; ++i) {
    work[i] = (struct work){.rounds = argc > 1 ? atoi(argv[1]) : 1000, .number = i};
    MPI_Comm_dup(MPI_COMM_WORLD, &work[i].comm);
  }
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, run, &work[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; ++i) {
    wrong += work[i].wrong;
    sum += work[i].sum;
    MPI_Comm_free(&work[i].comm);
  }
  MPI_Finalize();
  printf("%s busy: %ld wrong, sum %ld\n", wrong == 0 ? "ok" : "bad", wrong, sum);
  return wrong != 0;
}
