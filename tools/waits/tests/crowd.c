/* SPDX-License-Identifier: BSD-3-Clause */
/* crowd.c - 2 ranks: on rank 0, a thread beyond those that the recorder has room for comes to a barrier of both, late; then the first one to
   another one. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum { room = 256 }; /* page::PageHeader::most_threads */

static sem_t has_called;

static void *stay(void *unused) {
  MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  sem_post(&has_called);
  for (;;) pause();
  return unused;
}

static void *meet(void *unused) {
  usleep(300000);
  MPI_Barrier(MPI_COMM_WORLD);
  return unused;
}

static pthread_t start(void *(*work)(void *)) {
  pthread_t thread;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 * 1024);
  if (pthread_create(&thread, &small, work, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return thread;
}

int main(int argc, char **argv) {
  int rank, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) {
    sem_init(&has_called, 0, 0);
    for (int i = 1; i < room; ++i) start(stay);
    for (int i = 1; i < room; ++i) sem_wait(&has_called);
    pthread_join(start(meet), NULL);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
