// SPDX-License-Identifier: BSD-3-Clause
// comms.c - messages on communicators of every kind; each tag is the receiver's rank in MPI_COMM_WORLD. 4 ranks.

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int world_rank;

/// To everybody in `comm`, or in its remote group; `world[i]` is the world rank of its rank i.
static void send_to_all(MPI_Comm comm, int count, const int *world) {
  char byte = 0;
  MPI_Request request;
  for (int i = 0; i < count; ++i) {
    MPI_Irecv(&byte, 1, MPI_BYTE, i, world_rank, comm, &request);
    MPI_Send(&byte, 0, MPI_BYTE, i, world[i], comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void of_one_group(void) {
  const int in_order[] = {0, 1, 2, 3};
  const int reversed[] = {3, 2, 1, 0};
  const int ones[] = {1, 1};
  MPI_Comm comm;
  MPI_Comm grid;
  send_to_all(MPI_COMM_WORLD, 4, in_order);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  send_to_all(comm, 4, in_order);
  MPI_Comm_free(&comm);
  const int sides[] = {2, 2};
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comm);
  send_to_all(comm, 4, reversed);
  MPI_Cart_create(comm, 2, sides, ones, 0, &grid);
  send_to_all(grid, 4, reversed);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&comm);
}

/// The handle of a freed communicator comes back for one with other members.
static void of_handles_that_return(void) {
  for (int round = 0; round < 20; ++round) {
    const int even_first = round % 2;
    const int halves[2][2] = {{0, 2}, {1, 3}};
    const int pairs[2][2] = {{0, 1}, {2, 3}};
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, even_first ? world_rank % 2 : world_rank / 2, 0, &comm);
    send_to_all(comm, 2, even_first ? halves[world_rank % 2] : pairs[world_rank / 2]);
    if (round % 3 == 0) MPI_Comm_free(&comm);
    else if (round % 3 == 1) MPI_Comm_disconnect(&comm);
    else PMPI_Comm_free(&comm);  // passes no layer
  }
}

static void between_groups(void) {
  const int others[2][2] = {{2, 3}, {0, 1}};
  MPI_Comm half;
  MPI_Comm both;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank / 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world_rank < 2 ? 2 : 0, 1000, &both);
  send_to_all(both, 2, others[world_rank / 2]);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void with_a_child(const char *program) {
  MPI_Comm child;
  char byte = 0;
  MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
  if (world_rank == 0) MPI_Send(&byte, 1, MPI_BYTE, 0, 0, child);
  MPI_Comm_disconnect(&child);
}

int main(int argc, char **argv) {
  MPI_Comm parent;
  char byte = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, parent, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&parent);
  } else {
    of_one_group();
    of_handles_that_return();
    between_groups();
    if (argc > 1 && strcmp(argv[1], "spawn") == 0) with_a_child(argv[0]);
  }
  MPI_Finalize();
  return 0;
}
