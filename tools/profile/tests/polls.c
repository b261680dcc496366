// SPDX-License-Identifier: BSD-3-Clause
// polls.c - rank 1 sends once rank 0 has asked in vain; rank 0 polls for the message in a function that is inlined in
// another, receives it, and duplicates and frees a communicator with rank 1. With an argument, MPI_Test or MPI_Testsome,
// rank 0 asks by that function for the end of a receive.
#include <mpi.h>
#include <string.h>
#include <time.h>

static inline __attribute__((always_inline)) void ask(int *there) {
  static int has_asked;
  MPI_Iprobe(1, 0, MPI_COMM_WORLD, there, MPI_STATUS_IGNORE);
  if (has_asked++ == 0) MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
}

static inline __attribute__((always_inline)) void poll_until_there(void) {
  int there = 0;
  while (!there) ask(&there);
}

__attribute__((noinline)) static void receive_late(void) {
  int number;
  poll_until_there();
  MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void receive_tested(const char *function) {
  int number, index, there = 0, has_asked = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  while (!there) {
    if (strcmp(function, "MPI_Test") == 0) MPI_Test(&request, &there, &status);
    else MPI_Testsome(1, &request, &there, &index, &status);
    if (has_asked++ == 0) MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  const struct timespec pause = {0, 30 * 1000 * 1000};
  int rank;
  MPI_Comm copy;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && argc > 1) receive_tested(argv[1]);
  if (rank == 0 && argc == 1) receive_late();
  if (rank == 1) {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    nanosleep(&pause, NULL);
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return 0;
}
