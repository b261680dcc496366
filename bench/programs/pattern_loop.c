/* SPDX-License-Identifier: BSD-3-Clause */
/* pattern_loop.c - patterns of calls of a process with itself, for callgrind to count their instructions. */
/* pattern_loop PATTERN TURNS: what is to be counted is the function of that name; the difference of two runs leaves out
 * what happens once. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static char sent, received;

__attribute__((noinline)) void rank(long count) {
  int number;
  for (long i = 0; i < count; ++i) MPI_Comm_rank(MPI_COMM_SELF, &number);
}

__attribute__((noinline)) void allreduce(long count) {
  int sum, one = 1;
  for (long i = 0; i < count; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

__attribute__((noinline)) void waitall(long count) {
  MPI_Request requests[2];
  for (long i = 0; i < count; ++i) {
    MPI_Isend(&sent, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Irecv(&received, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

/* The message is smaller than what the library sends before it is received. */
__attribute__((noinline)) void sendrecv(long count) {
  for (long i = 0; i < count; ++i) {
    MPI_Send(&sent, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF);
    MPI_Recv(&received, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  const char *const pattern = argc > 1 ? argv[1] : "rank";
  const long count = argc > 2 ? atol(argv[2]) : 1000;
  MPI_Init(&argc, &argv);
  if (strcmp(pattern, "rank") == 0) rank(count);
  if (strcmp(pattern, "allreduce") == 0) allreduce(count);
  if (strcmp(pattern, "waitall") == 0) waitall(count);
  if (strcmp(pattern, "sendrecv") == 0) sendrecv(count);
  MPI_Finalize();
  return 0;
}
