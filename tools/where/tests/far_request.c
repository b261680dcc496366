// SPDX-License-Identifier: BSD-3-Clause
// far_request.c - two ranks: one waits for an array whose only open request comes after 1,500 others, then the same for
// a message that nobody sends
#include <mpi.h>

enum { COUNT = 2000, PLACE = 1500 };

int main(int argc, char** argv) {
  int rank = 0, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static MPI_Request requests[COUNT];
  for (int i = 0; i < COUNT; ++i) requests[i] = MPI_REQUEST_NULL;
  for (int tag = 1; tag <= 2; ++tag) {
    if (rank == 0 && tag == 1) MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    if (rank == 0) continue;
    MPI_Irecv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[PLACE]);
    MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE);
  }
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
