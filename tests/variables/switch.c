/* SPDX-License-Identifier: BSD-3-Clause */
/* switch.c - switches layers off and on by their control variables: switch NAME [NAME...] */

#include <mpi.h>
#include <stdio.h>

#include "codes.h"

int main(int argc, char *argv[]) {
  int provided = 0;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  for (int i = 1; i < argc; ++i) {
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int index = -1, count = 0, value = -1, rank = 0;
    const int found = MPI_T_cvar_get_index(argv[i], &index);
    printf("%s: %s\n", argv[i], name_of_code(found));
    if (found != MPI_SUCCESS) continue;
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    for (int wanted = 0; wanted < 3; ++wanted) {
      const int code = MPI_T_cvar_write(handle, &wanted);
      MPI_T_cvar_read(handle, &value);
      printf("  %d: %s, is %d\n", wanted, name_of_code(code), value);
      for (int calls = 0; calls < 10; ++calls) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_Finalize();
  return 0;
}
