// SPDX-License-Identifier: BSD-3-Clause
// unseen.c - frees communicators and windows by calls that pass no layer, so that the handles come back for others of
// other sizes. Prints the first keys that it gets for attributes, and what it sent: from, to, messages, bytes. 4 ranks.

#include <mpi.h>
#include <stdio.h>

enum { ranks = 4, rounds = 12 };
static int rank;
static int messages[ranks];
static int puts_made[ranks];

static int next_of(MPI_Comm comm, int *world) {
  int worlds[ranks];
  int size = 0;
  int own = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &own);
  MPI_Allgather(&rank, 1, MPI_INT, worlds, 1, MPI_INT, comm);
  const int next = (own + 1) % size;
  *world = worlds[next];
  return next;
}

static void message(MPI_Comm comm) {
  char out[100] = "";
  char in[100];
  int world = 0;
  const int next = next_of(comm, &world);
  MPI_Sendrecv(out, sizeof out, MPI_BYTE, next, 0, in, sizeof in, MPI_BYTE, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
  ++messages[world];
}

static void put(MPI_Comm comm) {
  char out[100] = "";
  char in[100];
  int world = 0;
  const int next = next_of(comm, &world);
  MPI_Win win;
  MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, comm, &win);
  MPI_Win_fence(0, win);
  MPI_Put(out, sizeof out, MPI_BYTE, next, 0, sizeof out, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  ++puts_made[world];
  PMPI_Win_free(&win);
}

/// A program may show them.
static void print_keys(void) {
  int keys[3];
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keys[0], NULL);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keys[1], NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keys[2], NULL);
  if (rank == 0) printf("keys %d %d %d\n", keys[0], keys[1], keys[2]);
  MPI_Comm_free_keyval(&keys[2]);
  MPI_Win_free_keyval(&keys[1]);
  MPI_Comm_free_keyval(&keys[0]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < rounds; ++round) {
    const int color[] = {rank / 2, rank % 2, 0};  // pairs, other pairs, all of them in reverse
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, color[round % 3], round % 3 == 2 ? -rank : rank, &comm);
    message(comm);
    // Open MPI 4.1.4 mixes up the memory of windows of two communicators that a node has at once.
    if (color[round % 3] == 0) put(comm);
    if (round == 1) print_keys();
    PMPI_Comm_free(&comm);
  }
  for (int i = 0; i < ranks; ++i) {
    if (messages[i] != 0) printf("p2p %d %d %d %d\n", rank, i, messages[i], 100 * messages[i]);
    if (puts_made[i] != 0) printf("osc %d %d %d %d\n", rank, i, puts_made[i], 100 * puts_made[i]);
  }
  MPI_Finalize();
  return 0;
}
