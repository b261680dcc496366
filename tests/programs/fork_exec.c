// SPDX-License-Identifier: BSD-3-Clause
// fork_exec.c - rank 0 starts other programs between MPI_Init and MPI_Finalize.
//
// Works with any number of ranks. Calls of every rank:
//   Init 1, Comm_rank 1, Comm_size 1, Bcast 1, Barrier 1, Finalize 1
// Bytes: Bcast of 4 bytes from rank 0, no messages.
// The children make no MPI call, so a preloaded library must stay out of their way: one is the
// shell of system(), the other /bin/true. Rank 0 prints one line more if LD_PRELOAD is set.

// fork, execl and waitpid are POSIX, not ISO C.
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int exited_with_0(int status) { return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0; }

static int run_true(void) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/true", "true", (char *)NULL);
    // Not exit: the handlers of the MPI library belong to the parent.
    _exit(127);
  }
  if (child == -1 || waitpid(child, &status, 0) != child) return 0;
  return exited_with_0(status);
}

static int run_children(void) {
  const char *preload = getenv("LD_PRELOAD");
  if (preload != NULL) printf("LD_PRELOAD is set to %s\n", preload);
  // Else the shell's line could come before ours.
  fflush(stdout);
  const int shell_ran = exited_with_0(system("echo child"));
  const int true_ran = run_true();
  return shell_ran && true_ran;
}

int main(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  int right = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) right = run_children();
  MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s fork_exec: %d ranks, 2 children\n", right ? "ok" : "wrong", size);
  MPI_Finalize();
  return right ? 0 : 1;
}
