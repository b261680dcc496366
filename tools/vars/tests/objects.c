/* SPDX-License-Identifier: BSD-3-Clause */
/* objects.c - windows, files and communicators that come and go: objects FILE,
 * objects threads, objects idup, objects inter, objects churn, or objects unseen */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *work(void *own_comm) {
  MPI_Comm comm = *(MPI_Comm *)own_comm, copy;
  for (int i = 0; i < 200; ++i) {
    MPI_Barrier(comm);
    if (i % 20 != 0) continue;
    MPI_Comm_dup(comm, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
  }
  return NULL;
}

static void use_threads(void) {
  enum { count = 4 };
  pthread_t threads[count];
  MPI_Comm comms[count];
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, work, &comms[i]);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
}

static void use_windows_and_files(const char *path) {
  int *memory, value = 0;
  for (int i = 0; i < 3; ++i) {
    MPI_Win win;
    MPI_File file;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
}

static void duplicate_later(void) {
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) MPI_Barrier(copy);
  MPI_Comm_free(&copy);
}

static void use_groups_of_two_sizes(void) {
  int rank = 0;
  MPI_Comm part, inter;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &inter);
  for (int i = 0; i < 3; ++i) MPI_Barrier(inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&part);
}

static void come_and_go(void) {
  MPI_Comm copy;
  for (int i = 0; i < 200; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_free(&copy);
  }
}

static void free_past_tools(void) {
  int *memory, size;
  MPI_Comm copy;
  MPI_Win win;
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    PMPI_Comm_free(&copy);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
    PMPI_Win_free(&win);
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* something to read around */
  }
}

int main(int argc, char *argv[]) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (strcmp(argv[1], "threads") == 0) use_threads();
  else if (strcmp(argv[1], "idup") == 0) duplicate_later();
  else if (strcmp(argv[1], "inter") == 0) use_groups_of_two_sizes();
  else if (strcmp(argv[1], "churn") == 0) come_and_go();
  else if (strcmp(argv[1], "unseen") == 0) free_past_tools();
  else use_windows_and_files(argv[1]);
  printf("done\n");
  MPI_Finalize();
  return 0;
}
