// SPDX-License-Identifier: BSD-3-Clause
// switching.c - turns the switches of the layers named on the command line off, says what came of it, and calls
// MPI_Comm_rank

#include <mpi.h>
#include <stdio.h>

static const char *turn_off(const char *name) {
  static const int off = 0;
  int index, count, code;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return "is not there";
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  code = MPI_T_cvar_write(handle, &off);
  MPI_T_cvar_handle_free(&handle);
  return code == MPI_SUCCESS                  ? "is off"
         : code == MPI_T_ERR_CVAR_SET_NOT_NOW ? "cannot be turned now"
                                              : "answers an error";
}

int main(int argc, char **argv) {
  int provided, rank;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i) printf("%s %s\n", argv[i], turn_off(argv[i]));
  fflush(stdout);
  for (int i = 0; i < 10; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  return 0;
}
