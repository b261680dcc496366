/* SPDX-License-Identifier: BSD-3-Clause */
/* objects.c - windows, files and communicators that come and go: objects FILE,
 * objects threads, objects idup, objects inter, objects churn, objects unseen; objects kinds: all others that MPI_T binds
 * variables to and programs make */

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

static void on_error(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }
static void add_up(void *in, void *sum, int *count, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int *)sum)[i] += ((int *)in)[i];
}

/* Three steps with each, of which the last is with a second object. */
static void use_other_kinds(void) {
  MPI_Errhandler handlers[2];
  MPI_Group groups[2];
  MPI_Op ops[2];
  MPI_Info infos[2];
  int one = 1, sum = 0, size;
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_create_errhandler(on_error, &handlers[i]);
    MPI_Comm_group(i == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD, &groups[i]);
    MPI_Op_create(add_up, 1, &ops[i]);
    MPI_Info_create(&infos[i]);
  }
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handlers[i / 2]);
    MPI_Group_size(groups[i / 2], &size);
    MPI_Reduce_local(&one, &sum, 1, MPI_INT, ops[i / 2]);
    MPI_Info_set(infos[i / 2], "key", "value");
  }
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Reduce_local(&one, &sum, 1, MPI_INT, MPI_SUM);
  for (int i = 0; i < 2; ++i) {
    MPI_Errhandler_free(&handlers[i]);
    MPI_Group_free(&groups[i]);
    MPI_Op_free(&ops[i]);
    MPI_Info_free(&infos[i]);
  }
  MPI_Comm_size(MPI_COMM_WORLD, &size); /* something to read around */
}

int main(int argc, char *argv[]) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (strcmp(argv[1], "threads") == 0) use_threads();
  else if (strcmp(argv[1], "idup") == 0) duplicate_later();
  else if (strcmp(argv[1], "inter") == 0) use_groups_of_two_sizes();
  else if (strcmp(argv[1], "churn") == 0) come_and_go();
  else if (strcmp(argv[1], "unseen") == 0) free_past_tools();
  else if (strcmp(argv[1], "kinds") == 0) use_other_kinds();
  else use_windows_and_files(argv[1]);
  printf("done\n");
  MPI_Finalize();
  return 0;
}
