// SPDX-License-Identifier: BSD-3-Clause
// variable.c - every rank prints the values of control variables after MPI_Init: variable NAME...

#include <mpi.h>
#include <stdio.h>

static void print(int rank, const char *name) {
  union {
    int number[1024];
    char text[4096];
  } value = {0};
  int index = 0;
  int count = 0;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS ||
      MPI_T_cvar_read(handle, &value) != MPI_SUCCESS)
    printf("rank %d: no %s\n", rank, name);
  else if (count != 4) printf("rank %d: %s = %d\n", rank, name, value.number[0]);
  else
    printf("rank %d: %s = %d %d %d %d\n", rank, name, value.number[0], value.number[1], value.number[2],
           value.number[3]);
  fflush(stdout);
}

int main(int argc, char **argv) {
  int rank = 0;
  int provided = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  for (int i = 1; i < argc; ++i) print(rank, argv[i]);
  MPI_Finalize();
  return 0;
}
