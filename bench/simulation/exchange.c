// SPDX-License-Identifier: BSD-3-Clause
// exchange.c - in each step every rank exchanges a message with each partner that a Matrix Market file names
//
// exchange FILE.mtx BYTES STEPS

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_partners = 1024 };

static int read_partners(const char *path, int rank, int *partners) {
  FILE *in = fopen(path, "r");
  char line[256];
  int count = 0;
  int has_sizes = 0;
  if (in == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  while (fgets(line, sizeof line, in) != NULL) {
    int row = 0;
    int column = 0;
    if (line[0] == '%' || sscanf(line, "%d %d", &row, &column) != 2) continue;
    if (!has_sizes) {
      has_sizes = 1;
      continue;
    }
    if (row - 1 == rank && count < most_partners) partners[count++] = column - 1;
    if (column - 1 == rank && count < most_partners) partners[count++] = row - 1;
  }
  fclose(in);
  return count;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int partners[most_partners];
  const int count = read_partners(argv[1], rank, partners);
  const int bytes = atoi(argv[2]);
  char *const out = calloc((size_t)bytes, 1);
  char *const in = calloc((size_t)bytes, (size_t)count + 1);
  MPI_Request requests[2 * most_partners];
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = atoi(argv[3]); step > 0; --step) {
    for (int i = 0; i < count; ++i) {
      MPI_Irecv(in + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, partners[i], 0, MPI_COMM_WORLD, &requests[i]);
      MPI_Isend(out, bytes, MPI_BYTE, partners[i], 0, MPI_COMM_WORLD, &requests[count + i]);
    }
    MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.9f\n", MPI_Wtime() - begin);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
