/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.c - objects with and without names, whose variables the stand-in moves: parts FILE, or parts many */

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void barriers(int count, MPI_Comm comm) {
  for (int i = 0; i < count; ++i) MPI_Barrier(comm);
}

/* Come and go, without a name or with the same one. */
static void copies(int count, const char *name) {
  for (int i = 0; i < count; ++i) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    barriers(1, copy);
    if (name != NULL) MPI_Comm_set_name(copy, name);
    barriers(2, copy);
    MPI_Comm_free(&copy);
  }
}

static void reversed_world(void) {
  int rank = 0;
  MPI_Comm reversed;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_set_name(reversed, "reversed");
  barriers(4, reversed);
  MPI_Comm_free(&reversed);
}

static void window(const char *name, int fences) {
  int *memory;
  MPI_Win win;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  if (name != NULL) MPI_Win_set_name(win, name);
  for (int i = 0; i < fences; ++i) MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void file(const char *path) {
  int value = 0;
  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void many_names(int count) {
  for (int i = 0; i < count; ++i) {
    char name[32];
    MPI_Comm copy;
    snprintf(name, sizeof name, "copy %d", i);
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_set_name(copy, name);
    MPI_Comm_free(&copy);
  }
}

static void few_names(const char *path) {
  barriers(3, MPI_COMM_WORLD);
  barriers(1, MPI_COMM_SELF);
  copies(2, "copy");
  copies(3, NULL);
  reversed_world();
  window(NULL, 1);
  window("halo", 2);
  window(NULL, 3);
  for (int i = 0; i < 2; ++i) file(path);
}

int main(int argc, char *argv[]) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  if (strcmp(argv[1], "many") == 0) many_names(10000);
  else few_names(argv[1]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
