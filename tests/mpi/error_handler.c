// SPDX-License-Identifier: BSD-3-Clause
// error_handler.c - a program whose own error handler counts what it is told.
//
// Usage: error_handler [fatal], with any number of ranks. Each wrong call must reach the handler once and no other
// error may: a tool that asks MPI about a wrong argument causes errors of its own. Calls of every rank:
//   Init 1, Comm_create_errhandler 1, Comm_set_errhandler 1, Errhandler_free 1, Comm_rank 1, Alltoall 1, Bcast 1,
//   Scatter 1, Reduce_scatter_block 1, Finalize 1
// No bytes, as every call with data fails. With the word fatal there is one call, an Alltoall on MPI_COMM_NULL under
// the handler that MPI starts with, which ends the job.

#include <mpi.h>

#include <stdio.h>
#include <string.h>

static int errors_told;

static void count_error(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  ++errors_told;
}

static void report(int rank, const char *what) {
  if (rank == 0) printf("%s: the handler was told of %d\n", what, errors_told);
  errors_told = 0;
}

int main(int argc, char **argv) {
  int rank = 0;
  int out[64] = {0};
  int in[64] = {0};
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && strcmp(argv[1], "fatal") == 0) MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_NULL);
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Errhandler_free(&handler);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_NULL);
  report(rank, "Alltoall on MPI_COMM_NULL");
  MPI_Bcast(out, 1, MPI_INT, 0, MPI_COMM_NULL);
  report(rank, "Bcast on MPI_COMM_NULL");
  MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_NULL);
  report(rank, "Scatter on MPI_COMM_NULL");
  MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL);
  report(rank, "Reduce_scatter_block on MPI_COMM_NULL");
  MPI_Finalize();
  return 0;
}
