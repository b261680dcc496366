// SPDX-License-Identifier: BSD-3-Clause
// thread_level.c - a program that asks for one level of threads, 0 to 3, and prints what it gets.
//
// Usage: thread_level LEVEL, 0 being MPI_THREAD_SINGLE, on any number of ranks. Calls of every rank:
//   Init_thread 1, Query_thread 1, Is_thread_main 2 (one of a second thread, but 1 at level 0), Comm_rank 1, Finalize 1

#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *ask(void *is_main) {
  MPI_Is_thread_main(is_main);
  return NULL;
}

int main(int argc, char **argv) {
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  const int wanted = argc == 2 ? atoi(argv[1]) : -1;
  int provided = -1;
  int queried = -1;
  int main_is_main = -1;
  int other_is_main = -1;
  int rank = 0;
  if (wanted < 0 || wanted > 3) return 2;
  MPI_Init_thread(&argc, &argv, levels[wanted], &provided);
  MPI_Query_thread(&queried);
  MPI_Is_thread_main(&main_is_main);
  if (wanted > 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask, &other_is_main) == 0) pthread_join(thread, NULL);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("asked for %d, provided %d, told %d; main thread %d, other thread %d\n", levels[wanted], provided, queried,
           main_is_main, other_is_main);
  MPI_Finalize();
  return 0;
}
