/* SPDX-License-Identifier: BSD-3-Clause */
/* nested.c - calls within calls, a call left by a jump, and calls from a second thread: what tools tell each other of a
 * call must be of that call. One rank is enough.
 *
 * An attribute's copy function sleeps 20 ms, calls MPI_Type_size, sleeps 20 ms more, and calls MPI_Allreduce: so the
 * duplication takes 40 ms, and neither of the two. Then an error handler leaves MPI_Send by longjmp 20 times, after
 * each of which follows an MPI_Barrier; a thread makes 10 MPI_Barrier,
 * and 10 MPI_Sendrecv to oneself end it. */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <unistd.h>

static jmp_buf before_error;

static int copied(MPI_Comm from, int key, void *extra, void *value, void *out, int *flag) {
  int size;
  double in = 1, sum;
  (void)from, (void)key, (void)extra, (void)value, (void)out;
  *flag = 0;
  usleep(20000);
  MPI_Type_size(MPI_INT, &size);
  usleep(20000);
  MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  return MPI_SUCCESS;
}

static void left(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  longjmp(before_error, 1);
}

static void *barriers(void *comm) {
  for (int i = 0; i < 10; ++i) MPI_Barrier(*(MPI_Comm *)comm);
  return NULL;
}

int main(int argc, char **argv) {
  int key, level;
  MPI_Comm self;
  MPI_Errhandler handler;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  MPI_Comm_create_errhandler(left, &handler);
  MPI_Comm_set_errhandler(self, handler);
  for (volatile int i = 0; i < 20; ++i) {
    if (setjmp(before_error) == 0) MPI_Send(&key, 1, MPI_INT, 7, 0, self);
    MPI_Barrier(MPI_COMM_SELF);
  }
  pthread_create(&thread, NULL, barriers, &self);
  pthread_join(thread, NULL);
  for (int i = 0; i < 10; ++i)
    MPI_Sendrecv(&key, 1, MPI_INT, 0, 0, &level, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Comm_free(&self);
  MPI_Finalize();
  return 0;
}
