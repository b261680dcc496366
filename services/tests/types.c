// SPDX-License-Identifier: BSD-3-Clause
// types.c - threads that make and free datatypes whose handles come back, and send with them to themselves

#include <mpi.h>

#include "threads.h"

enum { ROUNDS = 300 };

static void exchange(MPI_Comm comm, MPI_Datatype type, int count) {
  static __thread char from[4096];
  static __thread char to[4096];
  MPI_Request request;
  MPI_Irecv(to, 4096, MPI_BYTE, 0, 1000, comm, &request);
  MPI_Send(from, count, type, 0, 1000, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void work(MPI_Comm comm) {
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
}
