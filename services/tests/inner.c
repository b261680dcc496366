/* SPDX-License-Identifier: BSD-3-Clause
 * inner.c - an attribute that goes with the communicators that a library makes for windows and files, and that asks of them
 * when they are freed; then communicators that may lie where these have been. Its argument is a file. */

#include <mpi.h>
#include <stdio.h>

static int dropped;

static int drop(MPI_Comm comm, int key, void* value, void* state) {
  int rank = -1;
  (void)key, (void)value, (void)state;
  MPI_Comm_rank(comm, &rank);
  ++dropped;
  return MPI_SUCCESS;
}

static void use(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm half;
  MPI_Comm_split(comm, 0, 0, &half);
  MPI_Comm_rank(half, &rank);
  MPI_Barrier(half);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  int key;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, drop, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
  for (int i = 0; i < 100; ++i) {
    MPI_Win win;
    MPI_File file;
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    use(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    use(MPI_COMM_WORLD);
  }
  printf("dropped %d\n", dropped);
  MPI_Finalize();
  return 0;
}
