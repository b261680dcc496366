// SPDX-License-Identifier: BSD-3-Clause
// unlike.c - on two ranks, what a replay cannot make again: calls on a second thread; `unlike groups`: a communicator
// between two groups; `unlike window`: one-sided calls.
#include <mpi.h>
#include <pthread.h>
#include <string.h>

static void* send_to_nobody(void* unused) {
  MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  return unused;
}

static void between_groups(int rank) {
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 9, &both);
  MPI_Barrier(both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void with_a_window(void) {
  MPI_Win window;
  int room = 0, in[2], out[2] = {0};
  const int counts[2] = {1, 1}, places[2] = {0, 1};
  MPI_Win_create(&room, sizeof room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, given;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && strcmp(argv[1], "groups") == 0) between_groups(rank);
  else if (argc > 1) with_a_window();
  else if (pthread_create(&thread, NULL, send_to_nobody, NULL) == 0) pthread_join(thread, NULL);
  MPI_Finalize();
}
