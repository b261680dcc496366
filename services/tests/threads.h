/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.h - the frame of programs whose threads do the same at once, each on a copy of MPI_COMM_SELF of its own. */
#ifndef CAIRN_TESTS_THREADS_H
#define CAIRN_TESTS_THREADS_H

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { MOST_THREADS = 4 };

static void work(MPI_Comm comm); /* the program's */

static void *work_on(void *comm) {
  work(*(MPI_Comm *)comm);
  return NULL;
}

/* PROGRAM [THREADS]; one thread is no thread for MPI either. */
int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 1;
  int provided = 0;
  MPI_Comm comms[MOST_THREADS];
  pthread_t ids[MOST_THREADS];
  MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  for (int i = 1; i < threads; ++i) pthread_create(&ids[i], NULL, work_on, &comms[i]);
  work_on(&comms[0]);
  for (int i = 1; i < threads; ++i) pthread_join(ids[i], NULL);
  MPI_Finalize();
  return 0;
}

#endif
