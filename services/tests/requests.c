// SPDX-License-Identifier: BSD-3-Clause
// requests.c - threads that end requests in every way; each receive has a tag of its own within its round

#include <mpi.h>

#include "threads.h"

enum { ROUNDS = 50, MESSAGES = 6, TAG = 2000 };

static void wait_all(int count, MPI_Request *requests) { MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); }

static void wait_each(int count, MPI_Request *requests) {
  for (int i = count; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void wait_any(int count, MPI_Request *requests) {
  int index = 0;
  MPI_Status status;
  while (index != MPI_UNDEFINED) MPI_Waitany(count, requests, &index, &status);
}

static void wait_some(int count, MPI_Request *requests) {
  int done = 0;
  int indices[2 * MESSAGES];
  while (done != MPI_UNDEFINED) MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
}

static void test_each(int count, MPI_Request *requests) {
  for (int i = 0; i < count; ++i)
    for (int flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
}

static void test_all(int count, MPI_Request *requests) {
  for (int flag = 0; !flag;) MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
}

static void test_any(int count, MPI_Request *requests) {
  for (int flag = 0, index = 0; !flag || index != MPI_UNDEFINED;)
    MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
}

static void test_some(int count, MPI_Request *requests) {
  int indices[2 * MESSAGES];
  for (int done = 0; done != MPI_UNDEFINED;) MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
}

typedef void Ending(int count, MPI_Request *requests);
static Ending *const endings[] = {wait_all, wait_each, wait_any, wait_some, test_each, test_all, test_any, test_some};

/// Messages of 64 KiB too, so that not all requests are complete when they are made.
static void exchange(MPI_Comm comm, Ending *end) {
  static __thread char from[MESSAGES][65536];
  static __thread char to[MESSAGES][65536];
  MPI_Request requests[2 * MESSAGES];
  for (int i = 0; i < MESSAGES; ++i) MPI_Irecv(to[i], 65536, MPI_BYTE, 0, TAG + i, comm, &requests[i]);
  for (int i = 0; i < MESSAGES; ++i)
    MPI_Isend(from[i], i % 2 ? 65536 : 8, MPI_BYTE, 0, TAG + MESSAGES - 1 - i, comm, &requests[MESSAGES + i]);
  end(2 * MESSAGES, requests);
}

static void persistent(MPI_Comm comm) {
  char from = 1;
  char to = 0;
  MPI_Request requests[2];
  MPI_Recv_init(&to, 1, MPI_BYTE, 0, TAG, comm, &requests[0]);
  MPI_Send_init(&from, 1, MPI_BYTE, 0, TAG, comm, &requests[1]);
  for (int i = 0; i < 5; ++i) {
    MPI_Startall(2, requests);
    wait_all(2, requests);
    wait_all(2, requests);  // inactive: nothing completes
  }
  MPI_Start(&requests[0]);
  MPI_Start(&requests[1]);
  wait_each(2, requests);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void cancelled_and_freed(MPI_Comm comm) {
  char from = 0;
  char to = 0;
  MPI_Request request;
  MPI_Irecv(&to, 1, MPI_BYTE, MPI_PROC_NULL, TAG, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(&to, 1, MPI_BYTE, 0, TAG - 1, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(&to, 1, MPI_BYTE, 0, TAG, comm, &request);
  MPI_Send(&from, 1, MPI_BYTE, 0, TAG, comm);
  MPI_Request_free(&request);
  MPI_Barrier(comm);
}

static void work(MPI_Comm comm) {
  for (int round = 0; round < ROUNDS; ++round)
    for (int i = 0; i < 8; ++i) exchange(comm, endings[i]);
  persistent(comm);
  cancelled_and_freed(comm);
}
