// SPDX-License-Identifier: BSD-3-Clause
// cancels.c - two ranks: requests that MPI_Testsome alone completes, and receives that are cancelled: a persistent one,
// one that is freed, one that is waited for.
#include <mpi.h>

static int value[2];

static void receive_two(void) {
  MPI_Request requests[2];
  int places[2], count = 0;
  MPI_Irecv(&value[0], 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&value[1], 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv(value, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // then both have come
  for (int done = 0; done < 2; done += count) MPI_Testsome(2, requests, &count, places, MPI_STATUSES_IGNORE);
}

static void cancel_three(void) {
  MPI_Request request;
  MPI_Recv_init(value, 1, MPI_INT, 0, 11, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Irecv(value, 1, MPI_INT, 0, 12, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  MPI_Irecv(value, 1, MPI_INT, 0, 13, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int tag = 5; rank == 0 && tag <= 7; ++tag) MPI_Send(value, tag < 7, MPI_INT, 1, tag, MPI_COMM_WORLD);
  if (rank == 1) {
    receive_two();
    cancel_three();
  }
  MPI_Finalize();
  return 0;
}
