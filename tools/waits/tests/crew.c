/* SPDX-License-Identifier: BSD-3-Clause */
/* crew.c - processes whose threads call MPI, 15 steps of 20 ms; the first argument says how:
     anew     each step two new threads exchange data with the next rank, and are joined before a call of all
     begun    each step another thread works and begins a send and a receive, which the main one completes
     taken    a thread receives all along, and the main one waits for what it has got
     stop     healthy: a thread waits for the word to stop while the main one works
     done     healthy: the main thread waits for the word of another one, which works
   In the first three the last rank works 40 ms more each step. */

#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "work.h"

enum { steps = 15, usual = 20, more = 40 };

static int rank, size, next, before;
static MPI_Comm comms[2];
static sem_t go, over;

static void work_a_step(void) { work(rank == size - 1 ? usual + more : usual); }

static void meet(MPI_Comm comm) {
  double value = rank, sum;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static void* work_and_exchange(void* comm) {
  int sent = rank, received;
  work_a_step();
  MPI_Sendrecv(&sent, 1, MPI_INT, next, 1, &received, 1, MPI_INT, before, 1, *(MPI_Comm*)comm, MPI_STATUS_IGNORE);
  return NULL;
}

static void anew(void) {
  for (int i = 0; i < steps; ++i) {
    pthread_t threads[2];
    for (int t = 0; t < 2; ++t) pthread_create(&threads[t], NULL, work_and_exchange, &comms[t]);
    for (int t = 0; t < 2; ++t) pthread_join(threads[t], NULL);
    meet(MPI_COMM_WORLD);
  }
}

static MPI_Request requests[2];

static void* work_and_begin(void* nothing) {
  static int sent, received;
  for (int i = 0; i < steps; ++i) {
    sem_wait(&go);
    work_a_step();
    MPI_Irecv(&received, 1, MPI_INT, before, 1, comms[0], &requests[0]);
    MPI_Isend(&sent, 1, MPI_INT, next, 1, comms[0], &requests[1]);
    sem_post(&over);
  }
  return nothing;
}

static void complete_what_is_begun(void) {
  for (int i = 0; i < steps; ++i) {
    sem_post(&go);
    sem_wait(&over);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void* receive_all(void* nothing) {
  for (int i = 0, received; i < steps; ++i) {
    MPI_Recv(&received, 1, MPI_INT, before, 1, comms[0], MPI_STATUS_IGNORE);
    sem_post(&over);
  }
  return nothing;
}

static void wait_for_what_is_taken(void) {
  for (int i = 0; i < steps; ++i) {
    work_a_step();
    MPI_Send(&i, 1, MPI_INT, next, 1, comms[0]);
    sem_wait(&over);
    meet(MPI_COMM_WORLD);
  }
}

static void* wait_for_word(void* nothing) {
  int word;
  MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 2, comms[0], MPI_STATUS_IGNORE);
  return nothing;
}

static void tell(int to) { MPI_Send(&rank, 1, MPI_INT, to, 2, comms[0]); }

static void work_and_tell_to_stop(void) {
  for (int i = 0; i < steps; ++i) {
    work(usual);
    meet(MPI_COMM_WORLD);
  }
  work(5 * usual);
  tell(next);
}

static void* work_and_tell(void* nothing) {
  for (int i = 0; i < steps; ++i) {
    work(usual);
    meet(comms[1]);
  }
  tell(rank);
  return nothing;
}

static void wait_until_done(void) { wait_for_word(NULL); }

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void* (*other)(void*);
    void (*here)(void);
  } all[] = {{"anew", NULL, anew},
             {"begun", work_and_begin, complete_what_is_begun},
             {"taken", receive_all, wait_for_what_is_taken},
             {"stop", wait_for_word, work_and_tell_to_stop},
             {"done", work_and_tell, wait_until_done}};
  int provided;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  sem_init(&go, 0, 0);
  sem_init(&over, 0, 0);
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (strcmp(argv[1], all[i].name) != 0) continue;
    if (all[i].other != NULL) pthread_create(&thread, NULL, all[i].other, NULL);
    all[i].here();
    if (all[i].other != NULL) pthread_join(thread, NULL);
  }
  MPI_Finalize();
  return 0;
}
