// SPDX-License-Identifier: BSD-3-Clause
// comm_random.h - what the steps of comm_random.c are made of: numbers from the seed, communicators, expected matrices
#pragma once

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, ROOM = 4096, COMMS = 9 };
enum { P2P, OSC, COLL, KINDS };
static const char *const kind_names[KINDS] = {"p2p", "osc", "coll"};

typedef struct {
  MPI_Comm comm;  // MPI_COMM_NULL for those that are not in it
  int size;
  int world[MOST];
  int other_size;  // of the facing group; 0: there is none
  int other[MOST];
  int edges[MOST][4];  // out-neighbors of each rank; -1: nobody
  int edge_count;      // 0: no topology
} Comm;

static int rank, ranks;
static unsigned long long messages[KINDS][MOST][MOST], volume[KINDS][MOST][MOST];
static Comm comms[COMMS];
static int comm_count;
static MPI_Datatype types[3];
static const int type_sizes[3] = {4, 8, 12};
static char out[ROOM * 64], in[ROOM * 64];

static unsigned long long state;
static int draw(int below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((state >> 33) % (unsigned)below);
}

static void expect(int kind, int from, int to, unsigned long long bytes) {
  if (from == to) return;
  ++messages[kind][from][to];
  volume[kind][from][to] += bytes;
}

// ------------------------------------------------------------ communicators

static Comm *add_comm(MPI_Comm comm, int size, const int *world) {
  Comm *const made = &comms[comm_count++];
  made->comm = comm;
  made->size = size;
  memcpy(made->world, world, (size_t)size * sizeof *world);
  return made;
}

static void make_plain(void) {
  int all[MOST], back[MOST], part[MOST];
  MPI_Comm made;
  for (int i = 0; i < ranks; ++i) all[i] = i, back[i] = ranks - 1 - i, part[i] = i + 1;
  add_comm(MPI_COMM_WORLD, ranks, all);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  add_comm(made, ranks, all);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &made);
  add_comm(made, ranks, back);
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, ranks - 1, part, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &made);
  add_comm(made, ranks - 1, part);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

// Even and odd ranks, each for itself and facing each other.
static void make_halves(void) {
  int group[2][MOST], sizes[2] = {0, 0};
  for (int i = 0; i < ranks; ++i) group[i % 2][sizes[i % 2]++] = i;
  MPI_Comm own, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &own);
  for (int half = 0; half < 2; ++half) add_comm(rank % 2 == half ? own : MPI_COMM_NULL, sizes[half], group[half]);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
  Comm *const facing = add_comm(between, sizes[0], group[0]);
  facing->other_size = sizes[1];
  memcpy(facing->other, group[1], sizeof group[1]);
}

static void make_grid(void) {
  int all[MOST], sides[2] = {0, 0};
  const int periods[2] = {0, 1};
  for (int i = 0; i < ranks; ++i) all[i] = i;
  MPI_Dims_create(ranks, 2, sides);
  MPI_Comm made;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 0, &made);
  Comm *const grid = add_comm(made, ranks, all);
  grid->edge_count = 4;
  for (int i = 0; i < ranks; ++i) {
    const int row = i / sides[1], column = i % sides[1];
    grid->edges[i][0] = row > 0 ? i - sides[1] : -1;
    grid->edges[i][1] = row + 1 < sides[0] ? i + sides[1] : -1;
    grid->edges[i][2] = row * sides[1] + (column + sides[1] - 1) % sides[1];
    grid->edges[i][3] = row * sides[1] + (column + 1) % sides[1];
  }
}

static void make_graph(void) {
  int all[MOST], sources[2 * MOST], source_count = 0;
  Comm plan = {.edge_count = 2};
  for (int i = 0; i < ranks; ++i) {
    all[i] = i;
    plan.edges[i][0] = (i + 1) % ranks;
    plan.edges[i][1] = 2 * i % ranks;
    for (int e = 0; e < 2; ++e)
      if (plan.edges[i][e] == rank) sources[source_count++] = i;
  }
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, source_count, sources, MPI_UNWEIGHTED, 2, plan.edges[rank],
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  Comm *const graph = add_comm(made, ranks, all);
  graph->edge_count = 2;
  memcpy(graph->edges, plan.edges, sizeof plan.edges);
}
