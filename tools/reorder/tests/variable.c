// SPDX-License-Identifier: BSD-3-Clause
// variable.c - sends 100 bytes to the next rank; prints its rank and whom it has sent them to, as a variable of `comm` that
// is bound to MPI_COMM_WORLD says
#include <mpi.h>
#include <stdio.h>

int main(void) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  unsigned long bytes[64] = {0};
  char data[100] = "";
  int rank, size, provided, index, count;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  if (MPI_T_pvar_get_index("comm_p2p_bytes", MPI_T_PVAR_CLASS_AGGREGATE, &index) != MPI_SUCCESS) return 1;
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_handle_alloc(session, index, &world, &handle, &count);
  MPI_T_pvar_start(session, handle);
  MPI_Sendrecv_replace(data, sizeof data, MPI_CHAR, (rank + 1) % size, 0, (rank + size - 1) % size, 0, world,
                       MPI_STATUS_IGNORE);
  MPI_T_pvar_read(session, handle, bytes);
  for (int i = 0; i < count; ++i)
    if (bytes[i] == sizeof data) printf("%d sent to %d\n", rank, i);
  MPI_T_pvar_handle_free(session, &handle);
  MPI_T_pvar_session_free(&session);
  MPI_T_finalize();  // Open MPI 4.1.4 crashes in it after MPI_Finalize
  MPI_Finalize();
}
