// SPDX-License-Identifier: BSD-3-Clause
// busy.c - eight threads in MPI at once, for a known number of calls.
//
// Calls of every rank, with R rounds (first argument): Init_thread 1, Comm_dup 8, Comm_rank 8 R, Sendrecv 8 R,
// Comm_free 8, Finalize 1. Each thread sends to itself over a communicator of its own and checks what comes back.

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8 };

struct work {
  MPI_Comm comm;
  int rounds;
  int number;
  long wrong;
};

static void *run(void *data) {
  struct work *work = data;
  for (int round = 0; round < work->rounds; ++round) {
    int rank = -1;
    int received = -1;
    const int sent = work->number * 1000003 + round;
    MPI_Comm_rank(work->comm, &rank);
    MPI_Sendrecv(&sent, 1, MPI_INT, rank, work->number, &received, 1, MPI_INT, rank, work->number, work->comm,
                 MPI_STATUS_IGNORE);
    work->wrong += received != sent;
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
  for (int i = 0; i < THREADS; ++i) {
    work[i] = (struct work){.rounds = argc > 1 ? atoi(argv[1]) : 1000, .number = i};
    MPI_Comm_dup(MPI_COMM_SELF, &work[i].comm);
  }
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, run, &work[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; ++i) {
    wrong += work[i].wrong;
    MPI_Comm_free(&work[i].comm);
  }
  MPI_Finalize();
  printf("%s busy: %ld wrong\n", wrong == 0 ? "ok" : "bad", wrong);
  return wrong != 0;
}
