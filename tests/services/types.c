// SPDX-License-Identifier: BSD-3-Clause
// types.c - threads that make and free datatypes whose handles come back, and send with them to themselves

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 300, THREADS = 4 };

static MPI_Comm comms[THREADS];

static void exchange(MPI_Comm comm, MPI_Datatype type, int count) {
  static __thread char from[4096];
  static __thread char to[4096];
  MPI_Request request;
  MPI_Irecv(to, 4096, MPI_BYTE, 0, 1000, comm, &request);
  MPI_Send(from, count, type, 0, 1000, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void *work(void *data) {
  MPI_Comm comm = *(MPI_Comm *)data;
  for (int round = 1; round <= ROUNDS; ++round) {
    MPI_Datatype row;
    MPI_Datatype rows;
    MPI_Type_contiguous(round, MPI_CHAR, &row);
    MPI_Type_vector(3, 1, 2, row, &rows);
    MPI_Type_commit(&rows);
    exchange(comm, rows, 1);
    MPI_Type_free(&row);
    exchange(comm, rows, 1);
    exchange(comm, MPI_DOUBLE, 2);
    MPI_Type_free(&rows);
  }
  return NULL;
}

int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 1;
  int provided = 0;
  pthread_t ids[THREADS];
  MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  for (int i = 1; i < threads; ++i) pthread_create(&ids[i], NULL, work, &comms[i]);
  work(&comms[0]);
  for (int i = 1; i < threads; ++i) pthread_join(ids[i], NULL);
  MPI_Finalize();
  return 0;
}
