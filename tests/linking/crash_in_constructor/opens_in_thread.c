// SPDX-License-Identifier: BSD-3-Clause
// opens_in_thread.c - a program whose threads open a library between MPI_Init and MPI_Finalize.
//
// Usage: opens_in_thread LIBRARY. Works with any number of ranks. Calls of every rank: Init 1, Comm_rank 1, Finalize 1.
// Exit code 1, with a line saying so, if the second thread is not done after ten seconds: the loader's lock is held.

#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void *open_library(void *name) { return dlopen(name, RTLD_NOW); }

int main(int argc, char **argv) {
  int rank = -1;
  pthread_t thread;
  void *library = NULL;
  struct timespec deadline;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 2 || pthread_create(&thread, NULL, open_library, argv[1]) != 0) return 2;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 10;
  if (pthread_timedjoin_np(thread, &library, &deadline) != 0) {
    printf("stuck in dlopen\n");
    fflush(stdout);
    _exit(1);  // not exit: its handlers would wait for the lock too
  }
  if (rank == 0) printf("%s\n", library != NULL ? "opened" : "not opened");
  MPI_Finalize();
  return 0;
}
