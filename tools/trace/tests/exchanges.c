// SPDX-License-Identifier: BSD-3-Clause
// exchanges.c - on four ranks, all that a replay makes again and actions.c does not do: groups of communicators,
// amounts by rank, requests some at a time, matched and buffered messages, loops. No call depends on which message is
// first.
#include <mpi.h>
#include <stdlib.h>

static int rank, size;

static void amounts_by_rank(MPI_Comm comm) {
  char out[64] = {0}, in[64];
  int counts[4] = {1, 2, 3, 4}, places[4] = {0, 1, 3, 6};
  int mine[4] = {rank, rank, rank, rank}, all[16];
  MPI_Gatherv(out, counts[rank], MPI_CHAR, in, counts, places, MPI_CHAR, 2, comm);
  MPI_Scatterv(out, counts, places, MPI_CHAR, in, counts[rank], MPI_CHAR, 1, comm);
  MPI_Allgatherv(out, counts[rank], MPI_CHAR, in, counts, places, MPI_CHAR, comm);
  if (rank == 3) MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INT, 3, comm);
  else MPI_Gather(mine, 4, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 3, comm);
  MPI_Scatter(all, 4, MPI_INT, mine, 4, MPI_INT, 3, comm);
  MPI_Alltoall(all, 1, MPI_INT, mine, 1, MPI_INT, comm);
  MPI_Scan(mine, all, 4, MPI_INT, MPI_SUM, comm);
  MPI_Request request;
  MPI_Iallgatherv(out, counts[rank], MPI_CHAR, in, counts, places, MPI_CHAR, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Each gives each another part, some nothing; and what a process gives is where it gets its own.
static void parts_and_places(MPI_Comm comm) {
  int out[64] = {0}, in[64] = {0};
  int given[4], got[4], places[4];
  MPI_Datatype types[4];
  for (int i = 0; i < 4; ++i) {
    given[i] = rank == 2 ? 0 : rank + 2 * i;
    got[i] = i == 2 ? 0 : i + 2 * rank;
    places[i] = 10 * i;
    types[i] = MPI_SHORT;
  }
  MPI_Request request;
  MPI_Alltoallv(out, given, places, MPI_INT, in, got, places, MPI_INT, comm);
  MPI_Ialltoallv(out, given, places, MPI_CHAR, in, got, places, MPI_CHAR, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Alltoallw(out, given, places, types, in, got, places, types, comm);
  const int shares[4] = {1, 2, 0, 4}, begins[4] = {0, 1, 3, 3};
  MPI_Reduce_scatter(out, in, shares, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(out, in, 3, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, comm);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, shares, begins, MPI_INT, comm);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, comm);
  MPI_Allreduce(MPI_IN_PLACE, in, 5, MPI_INT, MPI_SUM, comm);
  if (rank == 1) MPI_Scatterv(in, shares, begins, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, comm);
  else MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, in, shares[rank], MPI_INT, 1, comm);
  if (rank == 3) MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, shares, begins, MPI_INT, 3, comm);
  else MPI_Gatherv(out, shares[rank], MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 3, comm);
}

static void communicators(void) {
  MPI_Comm same, half, first, few, grid, later;
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  MPI_Comm_split(same, rank % 2 == 0 ? 7 : MPI_UNDEFINED, -rank, &half);
  if (half != MPI_COMM_NULL) MPI_Barrier(half);
  MPI_Group world, group;
  MPI_Comm_group(same, &world);
  const int members[2] = {3, 1};
  MPI_Group_incl(world, 2, members, &group);
  MPI_Comm_create(same, group, &first);
  if (first != MPI_COMM_NULL) MPI_Comm_create_group(first, group, 5, &few);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  double value = 0, sum;
  if (first != MPI_COMM_NULL) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, few);
  const int sides[2] = {2, 2}, periods[2] = {1, 1};
  MPI_Cart_create(same, 2, sides, periods, 0, &grid);
  MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_MAX, 1, grid);
  MPI_Request request;
  MPI_Comm_idup(grid, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_set_name(later, "later\"\\?");
  amounts_by_rank(later);
  if (first != MPI_COMM_NULL) MPI_Comm_free(&few);
  if (first != MPI_COMM_NULL) MPI_Comm_free(&first);
  if (half != MPI_COMM_NULL) MPI_Comm_free(&half);
  MPI_Comm_free(&later);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&same);
}

static void some_at_a_time(void) {
  MPI_Request all[4];
  int in[4], out = rank, at, places[4];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int i = 0; i < 4; ++i) MPI_Irecv(&in[i], 1, MPI_INT, left, 10 + i, MPI_COMM_WORLD, &all[i]);
  MPI_Send(&out, 1, MPI_INT, right, 12, MPI_COMM_WORLD);
  MPI_Waitany(4, all, &at, MPI_STATUS_IGNORE);
  MPI_Send(&out, 1, MPI_INT, right, 10, MPI_COMM_WORLD);
  MPI_Waitsome(4, all, &at, places, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request sends[2];
  MPI_Issend(&out, 1, MPI_INT, right, 11, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(&out, 1, MPI_INT, right, 13, MPI_COMM_WORLD, &sends[1]);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  MPI_Irecv(&in[0], 1, MPI_INT, left, 77, MPI_COMM_WORLD, &all[0]);
  MPI_Irecv(&in[1], 1, MPI_INT, left, 78, MPI_COMM_WORLD, &all[1]);
  MPI_Send(&out, 1, MPI_INT, right, 78, MPI_COMM_WORLD);
  MPI_Wait(&all[1], MPI_STATUS_IGNORE);
  MPI_Cancel(&all[0]);
  MPI_Wait(&all[0], MPI_STATUS_IGNORE);
}

static void special_messages(void) {
  char room[4096], text[24] = "";
  MPI_Message first, second;
  MPI_Status status;
  const int other = rank ^ 1;
  MPI_Buffer_attach(room, sizeof room);
  MPI_Bsend(text, 10, MPI_CHAR, other, 20, MPI_COMM_WORLD);
  MPI_Bsend(text, 20, MPI_CHAR, other, 21, MPI_COMM_WORLD);
  MPI_Mprobe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
  MPI_Mprobe(other, MPI_ANY_TAG, MPI_COMM_WORLD, &second, &status);
  MPI_Mrecv(text, 20, MPI_CHAR, &second, &status);
  MPI_Mrecv(text, 10, MPI_CHAR, &first, MPI_STATUS_IGNORE);
  void* detached;
  int bytes;
  MPI_Buffer_detach(&detached, &bytes);
  MPI_Sendrecv_replace(text, 6, MPI_CHAR, other, 22, MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, &status);
  MPI_Send(text, 3, MPI_CHAR, MPI_PROC_NULL, 23, MPI_COMM_WORLD);
  MPI_Recv(text, 3, MPI_CHAR, MPI_PROC_NULL, 23, MPI_COMM_WORLD, &status);
  struct {
    double value;
    int at;
  } in = {0}, out;
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
}

static void loops(int steps) {
  double halo[200] = {0};
  MPI_Request all[4];
  const int left = rank == 0 ? MPI_PROC_NULL : rank - 1, right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
  MPI_Recv_init(halo, 50, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &all[0]);
  MPI_Recv_init(halo + 50, 50, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &all[1]);
  MPI_Send_init(halo + 100, 50, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &all[2]);
  MPI_Send_init(halo + 150, 50, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &all[3]);
  for (int step = 0; step < steps; ++step) {
    MPI_Startall(4, all);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    for (int inner = 0; inner < 3; ++inner) MPI_Bcast(halo, 10, MPI_DOUBLE, step == 0 ? 1 : 0, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 4; ++i) MPI_Request_free(&all[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  communicators();
  some_at_a_time();
  special_messages();
  parts_and_places(MPI_COMM_WORLD);
  loops(argc > 1 ? atoi(argv[1]) : 20);
  MPI_Finalize();
}
