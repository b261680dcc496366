// SPDX-License-Identifier: BSD-3-Clause
// comm_random_collectives.h - the collective steps of comm_random.c
#pragma once

#include "comm_random.h"

#define EITHER(name, ...)                    \
  do {                                       \
    if (nonblocking) {                       \
      MPI_Request request;                   \
      MPI_I##name(__VA_ARGS__, &request);    \
      MPI_Wait(&request, MPI_STATUS_IGNORE); \
    } else {                                 \
      MPI_##name##_now(__VA_ARGS__);         \
    }                                        \
  } while (0)
#define MPI_bcast_now MPI_Bcast
#define MPI_gather_now MPI_Gather
#define MPI_gatherv_now MPI_Gatherv
#define MPI_scatter_now MPI_Scatter
#define MPI_scatterv_now MPI_Scatterv
#define MPI_reduce_now MPI_Reduce
#define MPI_allgather_now MPI_Allgather
#define MPI_allgatherv_now MPI_Allgatherv
#define MPI_alltoall_now MPI_Alltoall
#define MPI_alltoallv_now MPI_Alltoallv
#define MPI_alltoallw_now MPI_Alltoallw
#define MPI_allreduce_now MPI_Allreduce
#define MPI_reduce_scatter_now MPI_Reduce_scatter
#define MPI_reduce_scatter_block_now MPI_Reduce_scatter_block
#define MPI_scan_now MPI_Scan
#define MPI_exscan_now MPI_Exscan
#define MPI_barrier_now MPI_Barrier
#define MPI_neighbor_allgather_now MPI_Neighbor_allgather
#define MPI_neighbor_alltoall_now MPI_Neighbor_alltoall
#define MPI_neighbor_alltoallv_now MPI_Neighbor_alltoallv

enum {
  BARRIER,
  BCAST,
  GATHER,
  GATHERV,
  SCATTER,
  SCATTERV,
  REDUCE,
  ALLGATHER,
  ALLGATHERV,
  ALLTOALL,
  ALLTOALLV,
  ALLTOALLW,
  ALLREDUCE,
  REDUCE_SCATTER,
  REDUCE_SCATTER_BLOCK,
  SCAN,
  EXSCAN,
  OPERATIONS
};

// What goes from member i of a group to member j of the group that it faces, which may be its own.
static unsigned long long part(int what, int i, int j, int root, int n) {
  const unsigned long long four = 4;
  switch (what) {
    case GATHERV:
    case ALLGATHERV:
      return four * (unsigned)(i + 1);
    case SCATTERV:
    case REDUCE_SCATTER:
      return four * (unsigned)(j + 1);
    case ALLTOALLV:
      return four * (unsigned)((i + j) % 3);
    case ALLTOALLW:
      return four * (unsigned)((i + j) % 3) * (unsigned)(1 + (i + j) % 2);
    case BARRIER:
      return 0;
    default:
      (void)root;
      return four * (unsigned)n;
  }
}

static int goes(int what, int i, int j, int root) {
  if (what == BCAST || what == SCATTER || what == SCATTERV) return i == root;
  if (what == GATHER || what == GATHERV || what == REDUCE) return j == root;
  if (what == SCAN || what == EXSCAN) return i < j;
  return 1;
}

static void call_collective(int what, const Comm *c, int size, int me, int root, int n, int nonblocking, int in_place) {
  int rising[MOST], at[MOST], mixed[MOST], wide[MOST];
  MPI_Datatype kinds[MOST];
  for (int i = 0; i < size; ++i) {
    rising[i] = i + 1;
    at[i] = i * 64;
    wide[i] = i * 512;
    mixed[i] = (me + i) % 3;
    kinds[i] = (me + i) % 2 ? types[1] : MPI_INT;
  }
  const int at_root = root == MPI_ROOT || (c->other_size == 0 && me == root);
  void *const o = in_place ? MPI_IN_PLACE : out;
  void *const root_o = in_place && at_root ? MPI_IN_PLACE : out;
  void *const scatter_in = in_place && at_root ? MPI_IN_PLACE : in;
  const MPI_Comm k = c->comm;
  switch (what) {
    case BARRIER:
      EITHER(barrier, k);
      break;
    case BCAST:
      EITHER(bcast, out, n, MPI_INT, root, k);
      break;
    case GATHER:
      EITHER(gather, root_o, n, MPI_INT, in, n, MPI_INT, root, k);
      break;
    case GATHERV:
      EITHER(gatherv, root_o, me + 1, MPI_INT, in, rising, at, MPI_INT, root, k);
      break;
    case SCATTER:
      EITHER(scatter, out, n, MPI_INT, scatter_in, n, MPI_INT, root, k);
      break;
    case SCATTERV:
      EITHER(scatterv, out, rising, at, MPI_INT, scatter_in, me + 1, MPI_INT, root, k);
      break;
    case REDUCE:
      EITHER(reduce, root_o, in, n, MPI_INT, MPI_SUM, root, k);
      break;
    case ALLGATHER:
      EITHER(allgather, o, n, MPI_INT, in, n, MPI_INT, k);
      break;
    case ALLGATHERV:
      EITHER(allgatherv, o, me + 1, MPI_INT, in, rising, at, MPI_INT, k);
      break;
    case ALLTOALL:
      EITHER(alltoall, o, n, MPI_INT, in, n, MPI_INT, k);
      break;
    case ALLTOALLV:
      EITHER(alltoallv, o, mixed, at, MPI_INT, in, mixed, at, MPI_INT, k);
      break;
    case ALLTOALLW:
      EITHER(alltoallw, o, mixed, wide, kinds, in, mixed, wide, kinds, k);
      break;
    case ALLREDUCE:
      EITHER(allreduce, o, in, n, MPI_INT, MPI_SUM, k);
      break;
    case REDUCE_SCATTER:
      EITHER(reduce_scatter, o, in, rising, MPI_INT, MPI_SUM, k);
      break;
    case REDUCE_SCATTER_BLOCK:
      EITHER(reduce_scatter_block, o, in, n, MPI_INT, MPI_SUM, k);
      break;
    case SCAN:
      EITHER(scan, o, in, n, MPI_INT, MPI_SUM, k);
      break;
    default:
      EITHER(exscan, o, in, n, MPI_INT, MPI_SUM, k);
  }
}

static void expect_collective(int what, const int *from, int from_size, const int *to, int to_size, int root, int n) {
  for (int i = 0; i < from_size; ++i)
    for (int j = 0; j < to_size; ++j)
      if (goes(what, i, j, root)) expect(COLL, from[i], to[j], part(what, i, j, root, n));
}

static void collective(void) {
  const Comm *const c = &comms[draw(comm_count)];
  const int what = draw(OPERATIONS), nonblocking = draw(2), n = 1 + draw(30);
  int in_place = draw(3) == 0;
  const int root = draw(c->size);
  int me = 0;
  if (what == ALLTOALLW && nonblocking) in_place = 0;  // MPICH 4.0.2 ends with an assertion
  if (c->comm != MPI_COMM_NULL) MPI_Comm_rank(c->comm, &me);
  if (c->other_size == 0) {
    expect_collective(what, c->world, c->size, c->world, c->size, root, n);
    if (c->comm != MPI_COMM_NULL) call_collective(what, c, c->size, me, root, n, nonblocking, in_place);
    return;
  }
  if (what == SCAN || what == EXSCAN || what == REDUCE_SCATTER || c->size != c->other_size) return;
  // The root is in the first group, rank 0 of the other side counts as all there.
  const int first = rank % 2 == 0;
  const int rooted = what >= BCAST && what <= REDUCE;
  if (!rooted || what == GATHER || what == GATHERV || what == REDUCE)
    expect_collective(what, c->other, c->other_size, c->world, c->size, root, n);
  if (!rooted || what == BCAST || what == SCATTER || what == SCATTERV)
    expect_collective(what, c->world, c->size, c->other, c->other_size, root, n);
  const int role = first ? (me == root ? MPI_ROOT : MPI_PROC_NULL) : root;
  call_collective(what, c, c->size, me, rooted ? role : 0, n, nonblocking, 0);
}

static void neighborhood(void) {
  const Comm *const c = &comms[comm_count - 1 - draw(2)];
  const int what = draw(3), nonblocking = draw(2), n = 1 + draw(30);
  for (int i = 0; i < c->size; ++i)
    for (int e = 0; e < c->edge_count; ++e)
      if (c->edges[i][e] >= 0)
        expect(COLL, c->world[i], c->world[c->edges[i][e]], 4ULL * (unsigned)(what == 2 ? 1 + i % 3 : n));
  int sends[4], at[MOST], receives[MOST];
  for (int i = 0; i < 4; ++i) sends[i] = 1 + rank % 3;
  for (int i = 0; i < MOST; ++i) at[i] = 64 * i;
  if (what == 2 && c->edge_count == 4) {
    for (int e = 0; e < 4; ++e) receives[e] = c->edges[rank][e] < 0 ? 0 : 1 + c->edges[rank][e] % 3;
  } else if (what == 2) {
    int found = 0;
    for (int i = 0; i < ranks; ++i)
      for (int e = 0; e < 2; ++e)
        if (c->edges[i][e] == rank) receives[found++] = 1 + i % 3;
  }
  if (what == 0) EITHER(neighbor_allgather, out, n, MPI_INT, in, n, MPI_INT, c->comm);
  else if (what == 1) EITHER(neighbor_alltoall, out, n, MPI_INT, in, n, MPI_INT, c->comm);
  else EITHER(neighbor_alltoallv, out, sends, at, MPI_INT, in, receives, at, MPI_INT, c->comm);
}
