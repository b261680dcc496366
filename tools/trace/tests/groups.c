// SPDX-License-Identifier: BSD-3-Clause
// groups.c - on four ranks, collective calls that tell who is root in ways of their own: between two groups, among
// neighbors, with large counts and persistent (where the MPI has them); a communicator that gets its name late; and a
// question for a message that has not been sent.
#define _GNU_SOURCE
#include <mpi.h>
#include <time.h>

static int rank, value[2];

/// The first of the odd ranks gives to the even ones, and each sends to the one beside it.
static void between_groups(void) {
  MPI_Comm half, both;
  const int is_odd = rank % 2, place = rank / 2;
  MPI_Comm_split(MPI_COMM_WORLD, is_odd, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - is_odd, 9, &both);
  MPI_Comm_set_name(both, "both");
  MPI_Bcast(value, 2, MPI_INT, !is_odd ? 0 : place == 0 ? MPI_ROOT : MPI_PROC_NULL, both);
  if (is_odd) MPI_Send(value, 1, MPI_INT, place, 5, both);
  else MPI_Recv(value, 1, MPI_INT, place, 5, both, MPI_STATUS_IGNORE);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void among_neighbors(void) {
  MPI_Comm ring;
  MPI_Request request;
  const int size = 4, is_ring = 1;
  int in[2], out[2] = {rank, rank};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_ring, 0, &ring);
  MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring);
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&ring);
}

static void large_and_persistent(void) {
#if MPI_VERSION >= 4
  int sum[2];
  MPI_Request request;
  MPI_Bcast_c(value, 2, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Reduce_c(value, sum, 2, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
  MPI_Exscan_c(value, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast_init(value, 2, MPI_INT, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
#endif
}

/// Long after it was made and used.
static void named_late(void) {
  const struct timespec pause = {0, 100000000};
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Barrier(twin);
  nanosleep(&pause, NULL);
  MPI_Comm_set_name(twin, "named late");
  MPI_Barrier(twin);
  MPI_Comm_free(&twin);
}

static void asked_in_vain(void) {
  MPI_Request request;
  int is_there;
  MPI_Irecv(value, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &request);
  MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
  MPI_Send(value, 1, MPI_INT, rank, 6, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  between_groups();
  among_neighbors();
  large_and_persistent();
  named_late();
  asked_in_vain();
  MPI_Finalize();
}
