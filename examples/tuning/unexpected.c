// SPDX-License-Identifier: BSD-3-Clause
// unexpected.c - a rank sends many messages before the other asks for them, and the library must keep them
//
//   mpirun -n 2 ./unexpected [BYTES] [MESSAGES]
//
// Messages up to the eager limit are kept in the receiver's memory, larger ones stay with the sender. Prints by how
// much the receiver has grown when it has all of them.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// Resident memory of this process in MB.
static double memory_mb(void) {
  long pages = 0;
  FILE *const statm = fopen("/proc/self/statm", "r");
  if (statm == NULL || fscanf(statm, "%*s %ld", &pages) != 1) MPI_Abort(MPI_COMM_WORLD, 1);
  fclose(statm);
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void send_all(const char *data, int bytes, int messages) {
  MPI_Request *const requests = malloc((size_t)messages * sizeof *requests);
  if (requests == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < messages; ++i) MPI_Isend(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[i]);
  MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);  // all others are on their way
  for (int i = 0; i < messages; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  free(requests);
}

static void receive_all(char *data, int bytes, int messages) {
  const double before = memory_mb();
  MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < messages; ++i) MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("memory: %.1f MB more\n", memory_mb() - before);
}

int main(int argc, char **argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = argc > 1 ? atoi(argv[1]) : 4000;
  const int messages = argc > 2 ? atoi(argv[2]) : 20000;
  char *data = calloc((size_t)bytes, 1);
  if (data == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) send_all(data, bytes, messages);
  if (rank == 1) receive_all(data, bytes, messages);
  free(data);
  MPI_Finalize();
  return 0;
}
