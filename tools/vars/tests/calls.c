/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c - a program with calls at which the tool `known` moves its variables: calls [many] */

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "cairn/region.h"

static void barriers(int count, MPI_Comm comm) {
  for (int i = 0; i < count; ++i) MPI_Barrier(comm);
}

static void reductions(int count) {
  for (int i = 0; i < count; ++i) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void sizes(int count) {
  int size = 0;
  for (int i = 0; i < count; ++i) MPI_Comm_size(MPI_COMM_WORLD, &size);
}

int main(int argc, char *argv[]) {
  MPI_Init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "many") == 0) {
    sizes(4000);
    MPI_Finalize();
    return 0;
  }
  barriers(4, MPI_COMM_WORLD);
  cairn_region_begin("solve");
  barriers(2, MPI_COMM_WORLD);
  cairn_region_end("solve");
  MPI_Pcontrol(3);
  barriers(1, MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  reductions(6);

  MPI_Comm copy;
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    barriers(1, copy);
    MPI_Comm_free(&copy);
  }
  int rank = 0, bytes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_SELF, &copy); /* `vars` looks for new variables */
  MPI_Comm_free(&copy);
  sizes(5);
  MPI_Type_size(MPI_INT, &bytes);
  sizes(1);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
