// SPDX-License-Identifier: BSD-3-Clause
// threads.c - four threads call MPI at the same time, each on its own communicator.
//
// Works with any number of ranks. Calls of every rank:
//   Init_thread 1, Comm_rank 1, Comm_size 1, Comm_dup 4, Sendrecv 200, Allreduce 41, Comm_free 4,
//   Finalize 1
// of which the four threads make 50 Sendrecv and 10 Allreduce each, the main thread the rest.
// Bytes of every rank: 12800 sent to the next rank (200 x 16 int), 12800 received from the one
// before (the rank itself if it is alone); 4 bytes into each Allreduce.
// Exit code 77 if the library does not offer MPI_THREAD_MULTIPLE.

#include <mpi.h>

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, BLOCKS = 10, EXCHANGES_PER_BLOCK = 5, LENGTH = 16, SKIPPED = 77 };

typedef struct {
  MPI_Comm comm;
  int number;
  int rank;
  int size;
  int errors;
} Worker;

// Every value tells thread, step and sender apart: a message of another thread would be noticed.
static int exchange(const Worker *worker, int step) {
  const int next = (worker->rank + 1) % worker->size;
  const int previous = (worker->rank + worker->size - 1) % worker->size;
  const int label = 100000 * worker->number + 1000 * step;
  int outgoing[LENGTH];
  int incoming[LENGTH] = {0};
  int errors = 0;
  for (int i = 0; i < LENGTH; ++i) outgoing[i] = label + worker->rank;
  // The same tag in all threads: only the communicator keeps them apart.
  MPI_Sendrecv(outgoing, LENGTH, MPI_INT, next, 0, incoming, LENGTH, MPI_INT, previous, 0, worker->comm,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < LENGTH; ++i) errors += incoming[i] != label + previous;
  return errors;
}

static int add_up(const Worker *worker) {
  const int mine = worker->number + worker->rank;
  const int expected = worker->size * worker->number + worker->size * (worker->size - 1) / 2;
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, worker->comm);
  return sum != expected;
}

static void *work(void *argument) {
  Worker *worker = argument;
  for (int block = 0; block < BLOCKS; ++block) {
    for (int i = 0; i < EXCHANGES_PER_BLOCK; ++i) worker->errors += exchange(worker, block * EXCHANGES_PER_BLOCK + i);
    worker->errors += add_up(worker);
  }
  return NULL;
}

static int run_workers(int rank, int size) {
  Worker workers[THREADS];
  pthread_t threads[THREADS];
  int started[THREADS];
  int errors = 0;
  for (int t = 0; t < THREADS; ++t) {
    workers[t] = (Worker){.number = t, .rank = rank, .size = size};
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comm);
  }
  for (int t = 0; t < THREADS; ++t) started[t] = pthread_create(&threads[t], NULL, work, &workers[t]) == 0;
  for (int t = 0; t < THREADS; ++t) {
    // The other ranks wait for this thread's messages: without it they would hang.
    if (!started[t]) MPI_Abort(MPI_COMM_WORLD, 1);
    pthread_join(threads[t], NULL);
    errors += workers[t].errors;
    MPI_Comm_free(&workers[t].comm);
  }
  return errors;
}

int main(int argc, char **argv) {
  int provided = MPI_THREAD_SINGLE;
  int rank = 0;
  int size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("skipped threads: no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return SKIPPED;
  }
  const int errors = run_workers(rank, size);
  int all_errors = 0;
  MPI_Allreduce(&errors, &all_errors, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s threads: %d ranks, %d threads, errors %d\n", all_errors == 0 ? "ok" : "wrong", size, THREADS,
           all_errors);
  MPI_Finalize();
  return all_errors == 0 ? 0 : 1;
}
