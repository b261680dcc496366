// SPDX-License-Identifier: BSD-3-Clause
// subject.c - the MPI program that the tests of the command run: says what it was given and ends as it is told.
//
// Works with any number of ranks. Calls of every rank: Init 1, Comm_rank 1, Barrier 1, Finalize 1. The environment says
// what else to do, so that all arguments are free for the tests:
//   SUBJECT_CLOSE=LIST  before MPI_Init, close the descriptors whose digits are in LIST
//   SUBJECT_OPEN=FILE   before MPI_Init and after that closing, open FILE, write "data" and keep it open
//   SUBJECT_COPY=1      rank 0 copies standard input to standard output
//   SUBJECT_WAIT=1      rank 0 says "waiting" and all ranks wait for a signal
//   SUBJECT_HANDLER=N   end with code N at SIGINT
//   SUBJECT_EXIT=N      exit code of every rank

// fileno, sigaction, pause and write are POSIX, not ISO C.
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int handler_code = 0;

static void on_interrupt(int number) {
  (void)number;
  _exit(handler_code);
}

static void prepare(void) {
  const char *digits = getenv("SUBJECT_CLOSE");
  for (; digits != NULL && *digits != '\0'; ++digits) close(*digits - '0');
  const char *path = getenv("SUBJECT_OPEN");
  if (path != NULL) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || write(file, "data\n", 5) != 5) _exit(99);
  }
  const char *code = getenv("SUBJECT_HANDLER");
  if (code != NULL) {
    struct sigaction action = {0};
    handler_code = atoi(code);
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, NULL);
  }
}

static void copy_input(void) {
  char buffer[4096];
  size_t got;
  while ((got = fread(buffer, 1, sizeof buffer, stdin)) > 0) fwrite(buffer, 1, got, stdout);
}

int main(int argc, char **argv) {
  int rank = 0;
  prepare();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("subject with %d arguments\n", argc - 1);
    for (int i = 1; i < argc; ++i) printf("[%s]\n", argv[i]);
    if (getenv("SUBJECT_COPY") != NULL) copy_input();
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (getenv("SUBJECT_WAIT") != NULL) {
    if (rank == 0) printf("waiting\n");
    fflush(stdout);
    for (;;) pause();
  }
  MPI_Finalize();
  const char *code = getenv("SUBJECT_EXIT");
  return code == NULL ? 0 : atoi(code);
}
