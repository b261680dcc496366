// SPDX-License-Identifier: BSD-3-Clause
// late_cancels.c - two ranks: a receive that is cancelled when its message has come, one that is cancelled in time, and a
// send that some libraries cancel
#include <mpi.h>

static void receive(void) {
  MPI_Request request;
  int found = 0, value = 0;
  while (!found) MPI_Iprobe(0, 5, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  for (int tag = 5; tag <= 6; ++tag) {
    MPI_Irecv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Recv(&found, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!found) MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(void) {
  MPI_Request request;
  MPI_Status status;
  int value = 1, is_cancelled = 0;
  MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  MPI_Isend(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &is_cancelled);
  MPI_Send(&is_cancelled, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) send();
  else receive();
  MPI_Finalize();
  return 0;
}
