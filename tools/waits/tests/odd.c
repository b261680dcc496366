/* SPDX-License-Identifier: BSD-3-Clause */
/* odd.c - programs of two ranks in which one thing is unusual; the first argument says which:
     quiet    a thread that calls MPI at the start and never again, while the other makes very many calls
     fast     calls that come faster than they are taken: `interval` is to be long
     fork     a child that marks regions while its parent waits for it
     test     a region whose work is followed by an MPI_Test that finds nothing
     parts    MPI_Alltoallv 1,500 times: more records if each told of what each process is given
     unread   three messages that nobody receives */

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cairn/region.h"

enum { many = 300000, messages = 2000 };

static atomic_int is_over;

static void* call_once_and_rest(void* nothing) {
  int rank, sent = 1, received;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Sendrecv(&sent, 1, MPI_INT, rank, 99, &received, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  while (!is_over) usleep(1000);
  return nothing;
}

static void send_and_meet(int rank, int count) {
  for (int i = 0, value = i; i < count; ++i) {
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    else MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i % 100 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void quiet(int rank) {
  pthread_t thread;
  pthread_create(&thread, NULL, call_once_and_rest, NULL);
  usleep(50000);
  send_and_meet(rank, many);
  is_over = 1;
  pthread_join(thread, NULL);
}

/* Rank 0 waits; as few as a ring of 4096 has room for, a rest in which they are taken, and many. */
static void run_fast(int rank) {
  if (rank == 1) usleep(500000);
  send_and_meet(rank, 500);
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(1500000);
  send_and_meet(rank, 100000);
}

static void fork_and_send(int rank) {
  const pid_t child = rank == 0 ? fork() : -1;
  for (int i = 0; child == 0 && i < 20000; ++i) {
    cairn_region_begin("child");
    cairn_region_end("child");
  }
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, NULL, 0);
  send_and_meet(rank, messages);
}

static void test_in_vain(int rank) {
  int value = 0, is_there;
  if (rank == 0) {
    usleep(400000);
    MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  cairn_region_begin("long");
  usleep(200000);
  MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
  cairn_region_end("long");
  cairn_region_begin("short");
  usleep(20000);
  cairn_region_end("short");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void give_parts(void) {
  int given[2] = {0}, got[2] = {0}, counts[2] = {1, 1}, places[2] = {0, 1};
  for (int i = 0; i < 1500; ++i)
    MPI_Alltoallv(given, counts, places, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
}

static void send_in_vain(int rank) {
  for (int i = 0; i < 3 && rank == 0; ++i) MPI_Send(&i, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  send_and_meet(rank, 100);
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "quiet") == 0) quiet(rank);
  if (strcmp(argv[1], "fast") == 0) run_fast(rank);
  if (strcmp(argv[1], "fork") == 0) fork_and_send(rank);
  if (strcmp(argv[1], "test") == 0) test_in_vain(rank);
  if (strcmp(argv[1], "parts") == 0) give_parts();
  if (strcmp(argv[1], "unread") == 0) send_in_vain(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
