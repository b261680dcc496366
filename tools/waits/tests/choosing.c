/* SPDX-License-Identifier: BSD-3-Clause */
/* choosing.c - rank 0 receives a message of rank 1, which works 20 ms before it, and then one of rank 2, which works 60 ms. Its first argument
   says how: whatever comes first, or ("fixed", "tags") these two in that order. */

#include <mpi.h>
#include <string.h>

#include "work.h"

static double buffer[2];
static MPI_Comm comms[2]; /* of rank 1's message, of rank 2's */

static int is(const char* how, const char* word) { return strcmp(how, word) == 0; }

static void receive(const char* how) {
  const int any = MPI_ANY_SOURCE;
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Status status;
  int found = 0;
  int index = 0;
  for (int i = 0; i < 2; ++i) {
    if (is(how, "waitany")) MPI_Irecv(&buffer[i], 1, MPI_DOUBLE, i + 1, 5, comms[i], &requests[i]);
    if (is(how, "many")) MPI_Irecv(&buffer[i], 1, MPI_DOUBLE, any, 5, comms[i], &requests[i]);
    if (is(how, "persistent")) MPI_Recv_init(&buffer[i], 1, MPI_DOUBLE, any, 5, comms[i], &requests[i]);
  }
  for (int i = 0; i < 2; ++i) {
    double* const to = &buffer[i];
    if (is(how, "fixed")) MPI_Recv(to, 1, MPI_DOUBLE, i + 1, 5, comms[i], MPI_STATUS_IGNORE);
    if (is(how, "tags")) MPI_Recv(to, 1, MPI_DOUBLE, any, 5 + i, comms[i], MPI_STATUS_IGNORE);
    if (is(how, "any")) MPI_Recv(to, 1, MPI_DOUBLE, any, 5, comms[i], MPI_STATUS_IGNORE);
    if (is(how, "exchange"))
      MPI_Sendrecv(to, 1, MPI_DOUBLE, MPI_PROC_NULL, 5, to, 1, MPI_DOUBLE, any, MPI_ANY_TAG, comms[i],
                   MPI_STATUS_IGNORE);
    if (is(how, "request")) {
      MPI_Irecv(to, 1, MPI_DOUBLE, any, 5, comms[i], &requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    if (is(how, "probe")) {
      MPI_Probe(any, 5, comms[i], &status);
      MPI_Recv(to, 1, MPI_DOUBLE, status.MPI_SOURCE, 5, comms[i], MPI_STATUS_IGNORE);
    }
    if (is(how, "matched")) {
      MPI_Mprobe(any, 5, comms[i], &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(to, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    }
    if (is(how, "turn")) {
      for (found = 0, index = 0; !found; index = !index) MPI_Iprobe(index + 1, 5, comms[index], &found, &status);
      MPI_Recv(to, 1, MPI_DOUBLE, status.MPI_SOURCE, 5, comms[status.MPI_SOURCE - 1], MPI_STATUS_IGNORE);
    }
    if (is(how, "persistent")) {
      MPI_Start(&requests[i]);
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    if (is(how, "waitany") || is(how, "many")) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2 && is(how, "persistent"); ++i) MPI_Request_free(&requests[i]);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "any";
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  comms[0] = comms[1] = MPI_COMM_WORLD;
  if (is(how, "many")) MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Barrier(MPI_COMM_WORLD); /* begin */
  if (rank == 0) {
    receive(how);
  } else {
    work(rank == 1 ? 20 : 60);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, is(how, "tags") ? 4 + rank : 5, comms[rank - 1]); /* send */
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (is(how, "many")) MPI_Comm_free(&comms[1]);
  MPI_Finalize();
  tell_work();
  return 0;
}
