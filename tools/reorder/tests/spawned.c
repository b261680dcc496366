// SPDX-License-Identifier: BSD-3-Clause
// spawned.c - two processes that start two; each of these says which rank its message comes from
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm parent, children;
  MPI_Status status;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, children);
    MPI_Comm_disconnect(&children);
  } else {
    int sender;
    MPI_Recv(&sender, 1, MPI_INT, MPI_ANY_SOURCE, 0, parent, &status);
    if (sender == status.MPI_SOURCE) printf("child %d from %d\n", rank, sender);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
}
