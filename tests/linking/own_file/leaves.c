// SPDX-License-Identifier: BSD-3-Clause
// leaves.c - a program that ends by _exit between MPI_Init and MPI_Finalize.

#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  _exit(5);
}
