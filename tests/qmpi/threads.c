// SPDX-License-Identifier: BSD-3-Clause
// threads.c - four threads that call MPI_Comm_rank 10,000 times each; the tools count in the meantime

#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

static void *call(void *unused) {
  int rank;
  for (int i = 0; i < 10000; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[4];
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, call, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  MPI_Finalize();
  return 0;
}
