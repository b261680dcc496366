// SPDX-License-Identifier: BSD-3-Clause
// io.c - writes and reads a file with MPI; the library makes dozens of MPI calls of its own meanwhile.
//
// Usage: io FILE, with any number of ranks. Calls of every rank:
//   Init 1, Comm_rank 1, Comm_size 1, File_open 2, File_set_view 1, File_write_all 1, File_close 2, File_write_at 3,
//   File_get_size 1, File_read_at_all 1, Type_vector 1, Type_commit 1, Type_free 1, Allreduce 1, Finalize 1
// Bytes: 4 of every rank into Allreduce; files do not count. The file: 8 blocks of 16 int, dealt to the ranks in turn,
// each int its rank; then for every rank 3 int, -1 to -3.

#include <mpi.h>

#include <stdio.h>

enum { BLOCKS = 8, LENGTH = 16, EXTRA = 3 };

static void write_blocks(const char *path, int rank, int size) {
  int values[BLOCKS * LENGTH];
  MPI_Datatype every_nth;
  MPI_File file;
  for (int i = 0; i < BLOCKS * LENGTH; ++i) values[i] = rank;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_Type_vector(BLOCKS, LENGTH, LENGTH * size, MPI_INT, &every_nth);
  MPI_Type_commit(&every_nth);
  MPI_File_set_view(file, (MPI_Offset)sizeof(int) * LENGTH * rank, MPI_INT, every_nth, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, values, BLOCKS * LENGTH, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Type_free(&every_nth);
  MPI_File_close(&file);
}

// Returns the number of wrong values.
static int add_and_check(const char *path, int rank, int size) {
  const MPI_Offset blocks_end = (MPI_Offset)sizeof(int) * BLOCKS * LENGTH * size;
  const MPI_Offset mine = blocks_end + (MPI_Offset)sizeof(int) * EXTRA * rank;
  int values[EXTRA] = {0};
  MPI_Offset file_size = 0;
  MPI_File file;
  int errors = 0;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 0; i < EXTRA; ++i) {
    const int value = -1 - i;
    MPI_File_write_at(file, mine + (MPI_Offset)sizeof(int) * i, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  }
  MPI_File_read_at_all(file, mine, values, EXTRA, MPI_INT, MPI_STATUS_IGNORE);
  for (int i = 0; i < EXTRA; ++i) errors += values[i] != -1 - i;
  MPI_File_get_size(file, &file_size);
  errors += file_size < mine;
  MPI_File_close(&file);
  return errors;
}

int main(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  int all_errors = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  write_blocks(argv[1], rank, size);
  const int errors = add_and_check(argv[1], rank, size);
  MPI_Allreduce(&errors, &all_errors, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s io: %d ranks, errors %d\n", all_errors == 0 ? "ok" : "wrong", size, all_errors);
  MPI_Finalize();
  return all_errors == 0 ? 0 : 1;
}
