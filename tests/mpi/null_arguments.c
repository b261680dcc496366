// SPDX-License-Identifier: BSD-3-Clause
// null_arguments.c - one rank gives null pointers where handles belong, and prints the class of each error.
#include <mpi.h>
#include <stdio.h>

static void show(const char *name, int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  printf("%s %d\n", name, error_class);
}
#define SHOW(call) show(#call, call)

int main(int argc, char **argv) {
  int flag = 0, index = 0, out = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
#ifndef OPEN_MPI  // which crashes
  SHOW(MPI_Comm_free(NULL));
#endif
  SHOW(MPI_Wait(NULL, MPI_STATUS_IGNORE));
  SHOW(MPI_Test(NULL, &flag, MPI_STATUS_IGNORE));
  SHOW(MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE));
  SHOW(MPI_Waitany(1, NULL, &index, MPI_STATUS_IGNORE));
  SHOW(MPI_Testsome(1, NULL, &out, &index, MPI_STATUSES_IGNORE));
  SHOW(MPI_Start(NULL));
  SHOW(MPI_Startall(1, NULL));
  SHOW(MPI_Request_free(NULL));
  SHOW(MPI_Barrier(MPI_COMM_NULL));
  SHOW(MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, NULL));
  MPI_Finalize();
  return 0;
}
