// SPDX-License-Identifier: BSD-3-Clause
// pmpi.c - prints its rank as PMPI_Comm_rank has it
#include <mpi.h>
#include <stdio.h>

int main(void) {
  int rank;
  MPI_Init(NULL, NULL);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%d\n", rank);
  MPI_Finalize();
}
