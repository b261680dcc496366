/* SPDX-License-Identifier: BSD-3-Clause */
/* kinds.c - two ranks that wait for each other once in many ways, one after the other: before each, one rank is 100 ms late.
   Its argument is a file to write to. */

#include <mpi.h>
#include <pthread.h>
#include <string.h>

#include "work.h"

enum { late = 100 };

static int rank;
static double buffer[8], other[8];

/* After both have met. */
static void late_if(int is_late) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (is_late) work(late);
}

static void together(const char* path) {
  late_if(rank == 0);
  MPI_Scan(buffer, other, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* scan */
  MPI_Win window;
  MPI_Win_create(buffer, sizeof buffer, sizeof buffer[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(other, 1, MPI_DOUBLE, 1 - rank, 0, 1, MPI_DOUBLE, window);
  late_if(rank == 1);
  MPI_Win_fence(0, window); /* fence */
  MPI_Win_free(&window);
  MPI_Comm copy;
  late_if(rank == 1);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* creation */
  MPI_Comm_free(&copy);
  MPI_File file;
  MPI_Info info; /* without it, ROMIO lets each process write on its own */
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "enable");
  late_if(rank == 1);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file); /* file */
  MPI_Info_free(&info);
  late_if(rank == 1);
  MPI_File_write_at_all(file, 64 * rank, buffer, 8, MPI_DOUBLE, MPI_STATUS_IGNORE); /* write */
  MPI_File_close(&file);                                                            /* close */
}

static void persistent(void) {
  MPI_Request request;
  if (rank == 0) MPI_Recv_init(buffer, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, &request);
  else MPI_Send_init(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, &request);
  late_if(rank == 1);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE); /* persistent */
  MPI_Request_free(&request);
}

/* However small it is, it needs its receiver. */
static void persistent_synchronous(void) {
  MPI_Request request;
  if (rank == 1) MPI_Ssend_init(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, &request);
  late_if(rank == 0);
  if (rank == 0) {
    MPI_Recv(buffer, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* persistent synchronous */
    MPI_Request_free(&request);
  }
}

static void partitioned(void) {
#if MPI_VERSION >= 4
  MPI_Request request;
  if (rank == 0) MPI_Precv_init(buffer, 2, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else MPI_Psend_init(buffer, 2, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  if (rank == 1) MPI_Pready(0, request);
  late_if(rank == 1);
  if (rank == 1) MPI_Pready(1, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE); /* partitioned */
  MPI_Request_free(&request);
#endif
}

static void some(void) {
  MPI_Request requests[2];
  int place, places[2], count = 0;
  for (int i = 0; i < 2 && rank == 0; ++i)
    MPI_Irecv(buffer + i, 1, MPI_DOUBLE, 1, 10 + i, MPI_COMM_WORLD, &requests[i]);
  late_if(rank == 1);
  if (rank == 1) MPI_Send(buffer, 1, MPI_DOUBLE, 0, 11, MPI_COMM_WORLD);
  else MPI_Waitany(2, requests, &place, MPI_STATUS_IGNORE); /* any */
  late_if(rank == 1);
  if (rank == 1) MPI_Send(buffer, 1, MPI_DOUBLE, 0, 10, MPI_COMM_WORLD);
  else MPI_Waitsome(2, requests, &count, places, MPI_STATUSES_IGNORE); /* some */
}

static void between_groups(void) {
  MPI_Comm own, groups;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank, 1, &groups);
  late_if(rank == 1);
  if (rank == 1) MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, groups);
  else MPI_Recv(buffer, 1, MPI_DOUBLE, 0, 5, groups, MPI_STATUS_IGNORE); /* groups */
  MPI_Comm_free(&groups);
  MPI_Comm_free(&own);
}

static void* work_and_send(void* nothing) {
  work(late);
  MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD); /* thread sends */
  return nothing;
}

/* A thread that makes its first call late. */
static void from_thread(void) {
  pthread_t thread;
  late_if(0);
  if (rank == 0) {
    MPI_Recv(buffer, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* thread */
  } else {
    pthread_create(&thread, NULL, work_and_send, NULL);
    pthread_join(thread, NULL);
  }
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  together(argv[1]);
  persistent();
  persistent_synchronous();
  partitioned();
  some();
  between_groups();
  from_thread();
  MPI_Barrier(MPI_COMM_WORLD);
  tell_work();
  MPI_Finalize();
  return 0;
}
