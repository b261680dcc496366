// SPDX-License-Identifier: BSD-3-Clause
// killed.c - a program that a signal ends: usage: killed WAY
//
//   fault      writes through a null pointer
//   inside     has MPI_Sendrecv read from an address where nothing is
//   abort      calls abort()
//   terminate  sends itself SIGTERM
//   kill       sends itself SIGKILL
//   handler    writes through a null pointer, and its own handler of SIGSEGV leaves with exit code 9
// Every rank does so after Init 1, Comm_rank 1, Barrier 1. With several ranks the launcher's exit code is a matter of
// luck: it ends the others, and on MPICH their signal may be the one that it tells of.

#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int *volatile nowhere;

static void leave(int number) {
  static const char text[] = "its own handler ran\n";
  (void)number;
  if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(8);
  _exit(9);
}

static void die(const char *way) {
  if (strcmp(way, "handler") == 0) signal(SIGSEGV, leave);
  if (strcmp(way, "fault") == 0 || strcmp(way, "handler") == 0) *nowhere = 1;
  if (strcmp(way, "inside") == 0) {
    int in[100];
    MPI_Sendrecv(nowhere + 4, 100, MPI_INT, 0, 0, in, 100, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "terminate") == 0) raise(SIGTERM);
  if (strcmp(way, "kill") == 0) raise(SIGKILL);
}

int main(int argc, char **argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("about to end by %s\n", argv[argc - 1]);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  die(argv[argc - 1]);
  MPI_Finalize();
  return 0;
}
