// SPDX-License-Identifier: BSD-3-Clause
// topologies.c - four processes make topologies that may be reordered, and check that they are what they were to be
//
//   topologies cart|graph|dist|adjacent|bad [before]    before: ranks 0 and 3, and 1 and 2, exchange messages before it
//
// Each process prints "NEW of OLD"; of bad ones, which calls fail.

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

// A line of four ranks; in graphs 0-1 and 2-3 weigh 9, 1-2 weighs 1.
static int neighbors[4][2] = {{1, -1}, {0, 2}, {1, 3}, {2, -1}};
static int weights[4][2] = {{9, 0}, {9, 1}, {1, 9}, {9, 0}};
static const int degree[4] = {1, 2, 2, 1};

static void send_before(void) {
  static char data[100000];
  int partner = 3 - rank;
  MPI_Sendrecv_replace(data, sizeof data, MPI_CHAR, partner, 0, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static MPI_Comm create(const char* kind) {
  MPI_Comm made;
  int size = 4, period = 0, index[] = {1, 3, 5, 6}, edges[] = {1, 0, 2, 1, 3, 2};
  if (!strcmp(kind, "cart")) MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 1, &made);
  if (!strcmp(kind, "graph")) MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 1, &made);
  if (!strcmp(kind, "dist"))
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree[rank], neighbors[rank], weights[rank], MPI_INFO_NULL, 1,
                          &made);
  if (!strcmp(kind, "adjacent"))
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree[rank], neighbors[rank], weights[rank], degree[rank],
                                   neighbors[rank], weights[rank], MPI_INFO_NULL, 1, &made);
  return made;
}

static int create_bad_ones(void) {
  MPI_Comm made;
  int size = 5, period = 0, index[] = {1, 2}, edges[] = {1, 7}, minus = -1, failed = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  failed += MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 1, &made) != MPI_SUCCESS;
  failed += 10 * (MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 1, &made) != MPI_SUCCESS);
  failed += 100 * (MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &minus, &rank, weights[0], MPI_INFO_NULL, 1,
                                         &made) != MPI_SUCCESS);
  failed += 1000 * (MPI_Cart_create(MPI_COMM_NULL, 1, &size, &period, 1, &made) != MPI_SUCCESS);
  printf("%d\n", failed);
  return MPI_Finalize();
}

static int is_distributed_graph_good(MPI_Comm comm, int me, int is_ordered) {
  int in, out, weighted, sources[2], in_weights[2], destinations[2], out_weights[2], sum = 0;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  if (in != degree[me] || out != degree[me] || !weighted) return 0;
  MPI_Dist_graph_neighbors(comm, in, sources, in_weights, out, destinations, out_weights);
  for (int i = 0; i < in; ++i)
    for (int j = 0; j < in; ++j) {
      if (is_ordered && i != j) continue;
      sum += sources[i] == neighbors[me][j] && in_weights[i] == weights[me][j];
      sum += destinations[i] == neighbors[me][j] && out_weights[i] == weights[me][j];
    }
  return sum == 2 * in;
}

int main(int argc, char** argv) {
  int me, got[2] = {-1, -1}, good = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 2) send_before();
  if (!strcmp(argv[1], "bad")) return create_bad_ones();
  MPI_Comm comm = create(argv[1]);
  MPI_Comm_rank(comm, &me);
  MPI_Neighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, comm);
  if (!strcmp(argv[1], "cart")) good = got[0] == me - 1 && got[1] == (me < 3 ? me + 1 : -1);
  if (!strcmp(argv[1], "graph")) good = got[0] == neighbors[me][0] && got[1] == neighbors[me][1];
  if (argv[1][0] == 'd' || argv[1][0] == 'a') good = is_distributed_graph_good(comm, me, argv[1][0] == 'a');
  printf("%d of %d%s\n", me, rank, good ? "" : ": not the topology that was asked for");
  MPI_Comm_free(&comm);
  MPI_Finalize();
}
