/* SPDX-License-Identifier: BSD-3-Clause */
/* message_loop.c - what a message of a process to itself costs: MPI_Isend, MPI_Recv and MPI_Wait of one byte. */
/* message_loop [BLOCKS [MESSAGES]] prints one line of JSON; callgrind looks at the function `messages`, as in
 * rank_loop.c. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

__attribute__((noinline)) void messages(long count) {
  char from = 0, to;
  MPI_Request request;
  for (long i = 0; i < count; ++i) {
    MPI_Isend(&from, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
    MPI_Recv(&to, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  const long blocks = argc > 1 ? atol(argv[1]) : 200;
  const long count = argc > 2 ? atol(argv[2]) : 2000;
  MPI_Init(&argc, &argv);
  if (blocks == 0) run_counted(messages, count);
  printf("{\"message_ns\": %.2f}\n", fastest(messages, blocks, count));
  MPI_Finalize();
  return 0;
}
