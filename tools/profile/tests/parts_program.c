// SPDX-License-Identifier: BSD-3-Clause
// parts_program.c - regions, communicators and transfers of known number, for the profile tool's tests.
//
// Each rank, five times: the region "step" with a Barrier, in it the region "halo" with MPI_Irecv and MPI_Isend of 100
// int to the next rank and MPI_Waitall; then, at level 3 of MPI_Pcontrol, a region "step" with an Allreduce of one int,
// twice. Outside: a persistent pair of 10 int, started four times; MPI_COMM_WORLD duplicated 20 times, an Allreduce of
// one int on each; a half of the ranks by parity, named "even" or "odd", and a Barrier on it. On rank 0 a thread calls
// MPI_Comm_rank in a region "threaded" that it leaves open.
#include <mpi.h>
#include <pthread.h>

#include "cairn/region.h"

static int rank, size;
static int outgoing[100], incoming[100];

static void step(void) {
  MPI_Request requests[2];
  cairn_region_begin("step");
  cairn_region_begin("halo");
  MPI_Irecv(incoming, 100, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(outgoing, 100, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  cairn_region_end("halo");
  MPI_Barrier(MPI_COMM_WORLD);
  cairn_region_end("step");
}

static void at_level_3(void) {
  int one = 1;
  MPI_Pcontrol(3);
  for (int i = 0; i < 2; ++i) {
    cairn_region_begin("step");
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    cairn_region_begin("left open");
    cairn_region_end("step");
    cairn_region_end("never begun");
  }
  MPI_Pcontrol(1);
}

static void persistent(void) {
  MPI_Request requests[2];
  MPI_Recv_init(incoming, 100, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(outgoing, 10, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 4; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void communicators(void) {
  int one = 1;
  for (int i = 0; i < 20; ++i) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, copy);
    MPI_Comm_free(&copy);
  }
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_set_name(half, rank % 2 == 0 ? "even" : "odd");
  MPI_Barrier(half);
  MPI_Comm_free(&half);
}

static void *threaded(void *unused) {
  int own;
  cairn_region_begin("threaded");
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  return unused;
}

int main(int argc, char **argv) {
  int provided;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 5; ++i) step();
  at_level_3();
  persistent();
  communicators();
  if (rank == 0 && pthread_create(&thread, NULL, threaded, NULL) == 0) pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
