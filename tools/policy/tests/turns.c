/* SPDX-License-Identifier: BSD-3-Clause */
/* turns.c - two threads that call MPI_Barrier in turn, ten times each: a function's calls are those of the process. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t turns[2];

static void *take_turns(void *mine) {
  const int me = *(const int *)mine;
  for (int i = 0; i < 10; ++i) {
    sem_wait(&turns[me]);
    MPI_Barrier(MPI_COMM_SELF);
    sem_post(&turns[1 - me]);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int level, mine[2] = {0, 1};
  pthread_t other;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  sem_init(&turns[0], 0, 1);
  sem_init(&turns[1], 0, 0);
  pthread_create(&other, NULL, take_turns, &mine[1]);
  take_turns(&mine[0]);
  pthread_join(other, NULL);
  MPI_Finalize();
  return 0;
}
