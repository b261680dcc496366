// SPDX-License-Identifier: BSD-3-Clause
// parts_dying.c - the last rank ends in the way that the argument says; others wait for it in a Barrier.
// "threads", on two ranks: by SIGTERM, while two other threads are in calls that do not end.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void handle(int number) {
  (void)number;
  (void)!write(STDOUT_FILENO, "handled\n", 8);
}

// Both send, but nobody sends to them.
static void *exchange(void *nothing) {
  int sent = 0, never;
  MPI_Sendrecv(&sent, 1, MPI_INT, 0, 1, &never, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return nothing;
}

static void *replace(void *nothing) {
  int both = 0;
  MPI_Sendrecv_replace(&both, 1, MPI_INT, 0, 2, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return nothing;
}

static void begin_threads(int rank) {
  int number = 0;
  pthread_t threads[2];
  if (rank == 0) {
    MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    return;
  }
  pthread_create(&threads[0], NULL, exchange, NULL);
  pthread_create(&threads[1], NULL, replace, NULL);
  MPI_Recv(&number, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  nanosleep(&(struct timespec){0, 100 * 1000 * 1000}, NULL);
}

static void end(const char *way) {
  static int *volatile nowhere;
  if (strcmp(way, "segmentation") == 0) *nowhere = 1;
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "MPI_Abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(way, "exit") == 0) exit(5);
  if (strcmp(way, "terminate") == 0 || strcmp(way, "threads") == 0) raise(SIGTERM);
  if (strcmp(way, "handled") == 0) raise(SIGTERM);
}

int main(int argc, char **argv) {
  const char *way = argv[1];
  const int has_threads = strcmp(way, "threads") == 0;
  int rank, size, level;
  if (strcmp(way, "handled") == 0) signal(SIGTERM, handle);
  if (has_threads) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  else MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (has_threads) begin_threads(rank);
  if (rank == size - 1) end(way);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (strcmp(way, "after") == 0) raise(SIGTERM);
  return 0;
}
