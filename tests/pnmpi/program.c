// SPDX-License-Identifier: BSD-3-Clause
// program.c - does what its arguments say between MPI_Init and MPI_Finalize, and says what MPI_Pcontrol returns.
//
//   rank size barrier   calls of MPI_Comm_rank, MPI_Comm_size, MPI_Barrier
//   exchange time       MPI_Sendrecv with itself, checked; MPI_Wtime, checked
//   plain               MPI_Pcontrol(4, "more", 2.5)
//   one=N two=N,M       MPI_Pcontrol addressed to modules N (and M), with eight integers
//   pointer=N           the same with a pointer to the arguments; error=N: the module answers with an error
//   toomuch=N           with more bytes than there may be

#include <mpi.h>
#include <pnmpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void exchange(void) {
  int sent[2] = {7, 8};
  int got[2] = {0, 0};
  MPI_Status status;
  MPI_Sendrecv(sent, 2, MPI_INT, 0, 5, got, 2, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
  if (got[1] != 8 || status.MPI_TAG != 5) printf("wrong: %d, tag %d\n", got[1], status.MPI_TAG);
}

static void step(const char *word) {
  const char *const value = strchr(word, '=') == NULL ? "" : strchr(word, '=') + 1;
  int number = atoi(value);
  int modules[2] = {number, strchr(value, ',') == NULL ? 0 : atoi(strchr(value, ',') + 1)};
  long values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int result = 0;
  if (strcmp(word, "rank") == 0) MPI_Comm_rank(MPI_COMM_WORLD, &number);
  if (strcmp(word, "size") == 0) MPI_Comm_size(MPI_COMM_WORLD, &number);
  if (strcmp(word, "barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(word, "exchange") == 0) exchange();
  if (strcmp(word, "time") == 0 && !(MPI_Wtime() >= 0)) printf("wrong time\n");
  if (strcmp(word, "plain") == 0) result = MPI_Pcontrol(4, "more", 2.5);
  if (strncmp(word, "one=", 4) == 0)
    result = MPI_Pcontrol(PNMPI_PCONTROL_LEVEL, 20, PNMPI_PCONTROL_SINGLE, number, 64, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
  if (strncmp(word, "two=", 4) == 0)
    result =
        MPI_Pcontrol(PNMPI_PCONTROL_LEVEL, 20, PNMPI_PCONTROL_MULTIPLE, 2, modules, 64, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
  if (strncmp(word, "pointer=", 8) == 0)
    result = MPI_Pcontrol(PNMPI_PCONTROL_LEVEL, 20, PNMPI_PCONTROL_PTR, number, 64, values);
  if (strncmp(word, "error=", 6) == 0)
    result = MPI_Pcontrol(PNMPI_PCONTROL_LEVEL, 21, PNMPI_PCONTROL_SINGLE, number, 0);
  if (strncmp(word, "toomuch=", 8) == 0)
    result = MPI_Pcontrol(PNMPI_PCONTROL_LEVEL, 20, PNMPI_PCONTROL_PTR, number, 1000, values);
  if (result != 0) printf("%s: %d\n", word, result);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i) step(argv[i]);
  MPI_Finalize();
  return 0;
}
