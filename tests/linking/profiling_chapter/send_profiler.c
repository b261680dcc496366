// SPDX-License-Identifier: BSD-3-Clause
// send_profiler.c - the profiler that the standard's chapter shows: bytes and time of MPI_Send; it calls MPI_X, not PMPI_X, for
// the clock and the size. It says at the end what it has counted.

#include <mpi.h>
#include <stdio.h>

static int bytes_sent = 0;
static double seconds = 0.0;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const double begin = MPI_Wtime();
  int size;
  const int result = PMPI_Send(buffer, count, type, to, tag, comm);
  MPI_Type_size(type, &size);
  bytes_sent += count * size;
  seconds += MPI_Wtime() - begin;
  return result;
}

int MPI_Finalize(void) {
  fprintf(stderr, "%d bytes sent, time %s\n", bytes_sent, seconds >= 0 ? "counted" : "wrong");
  return PMPI_Finalize();
}
