/* SPDX-License-Identifier: BSD-3-Clause */
/* callbacks.c - calls of MPI within calls of MPI: in callbacks, and after a jump out of an error handler */

#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf way_out;

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag) {
  int rank = 0;
  (void)keyval, (void)extra;
  *(void **)out = in;
  *flag = 1;
  return MPI_Comm_rank(comm, &rank);
}

static void jump_out(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  longjmp(way_out, 1);
}

int main(int argc, char *argv[]) {
  int keyval = 0, size = 0;
  MPI_Comm made;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_free(&made);
  }
  MPI_Comm_create_errhandler(jump_out, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  if (setjmp(way_out) == 0) MPI_Send(&size, 1, MPI_INT, 7, 0, MPI_COMM_SELF);
  for (int i = 0; i < 5; ++i) MPI_Comm_size(MPI_COMM_SELF, &size);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  printf("done\n");
  MPI_Finalize();
  return 0;
}
