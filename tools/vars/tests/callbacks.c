/* SPDX-License-Identifier: BSD-3-Clause */
/* callbacks.c - calls of MPI within calls of MPI: in callbacks, and after a jump out of an error handler, from where the
 * call was made, from further down the stack, and by another thread when the one that made it is over */

#include <mpi.h>
#include <pthread.h>
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

static void leave_a_call(void) {
  int number = 0;
  if (setjmp(way_out) == 0) MPI_Send(&number, 1, MPI_INT, 7, 0, MPI_COMM_SELF);
}

/* Below where the call was made that was left. */
static int call_from_below(int levels) {
  volatile char room[4096];
  int flag = 0;
  room[0] = 0;
  if (levels > 0) return call_from_below(levels - 1) + room[0];
  return MPI_Initialized(&flag) + MPI_Comm_compare(MPI_COMM_SELF, MPI_COMM_SELF, &flag) + room[0];
}

static void *leave_and_end(void *nothing) {
  leave_a_call();
  return nothing;
}

int main(int argc, char *argv[]) {
  int keyval = 0, size = 0;
  MPI_Comm made;
  MPI_Errhandler handler;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &size);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_free(&made);
  }
  MPI_Comm_create_errhandler(jump_out, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  leave_a_call();
  for (int i = 0; i < 5; ++i) MPI_Comm_size(MPI_COMM_SELF, &size);
  leave_a_call();
  for (int i = 0; i < 5; ++i) call_from_below(4);
  pthread_create(&thread, NULL, leave_and_end, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < 5; ++i) MPI_Comm_test_inter(MPI_COMM_SELF, &size);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  printf("done\n");
  MPI_Finalize();
  return 0;
}
