/* SPDX-License-Identifier: BSD-3-Clause */
/* write_text.c - reads a control variable that is a text, then writes words to it: write_text NAME [WORD...] */

#include <mpi.h>
#include <stdio.h>

#include "codes.h"

int main(int argc, char *argv[]) {
  char text[64];
  int provided = 0, index = -1, count = 0;
  MPI_T_cvar_handle handle;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_cvar_get_index(argv[1], &index);
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  MPI_T_cvar_read(handle, text);
  printf("%d: %s\n", count, text);
  for (int i = 2; i < argc; ++i) {
    const int code = MPI_T_cvar_write(handle, argv[i]);
    MPI_T_cvar_read(handle, text);
    printf("%s: %s, is '%s'\n", argv[i], name_of_code(code), text);
  }
  MPI_T_cvar_handle_free(&handle);
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
