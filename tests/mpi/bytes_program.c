// SPDX-License-Identifier: BSD-3-Clause
// bytes_program.c - calls whose bytes are known, one group of rules for what a call sends per region.
//
// Usage: bytes_program blocking|nonblocking|persistent GROUP..., with exactly 4 ranks; the groups are in the table at
// the end, and each is a region of its name. "nonblocking": every call that has a twin which returns a request is made
// by it and waited for. "persistent": every collective call is described by its _init form, and started once, in a
// region of its own. Compiled with LARGE_COUNTS the calls are those with MPI_Count arguments (their names end in _c).
// test_bytes.py holds the calls and bytes of each group; the numbers here and there belong together.
//
// What counts at one process only is junk elsewhere (null pointers, MPI_DATATYPE_NULL, counts that cannot be), so that
// a tool which reads it crashes or counts nonsense.

#include <mpi.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cairn/region.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT_OF(name) MPIX_##name##_init
#else
#define INIT_OF(name) MPI_##name##_init
#endif

#ifdef LARGE_COUNTS
typedef MPI_Count Count;
typedef MPI_Aint Displacement;
#define FORM(name) name##_c
#else
typedef int Count;
typedef int Displacement;
#define FORM(name) name
#endif

// The name must be put together before FORM lengthens it, hence the second step.
#define FORM_OF(name) FORM(name)

#define CALL(name, twin, ...)                     \
  do {                                            \
    if (nonblocking) {                            \
      MPI_Request started;                        \
      FORM_OF(MPI_##twin)(__VA_ARGS__, &started); \
      MPI_Wait(&started, MPI_STATUS_IGNORE);      \
    } else {                                      \
      FORM_OF(MPI_##name)(__VA_ARGS__);           \
    }                                             \
  } while (0)

#define COLLECTIVE(name, twin, ...)                                   \
  do {                                                                \
    if (persistent_calls) {                                           \
      MPI_Request described;                                          \
      FORM_OF(INIT_OF(name))(__VA_ARGS__, MPI_INFO_NULL, &described); \
      start_once("MPI_" #name, &described);                           \
    } else {                                                          \
      CALL(name, twin, __VA_ARGS__);                                  \
    }                                                                 \
  } while (0)

enum { RANKS = 4, ROOT = 2, ROOM = 256, JUNK = -77777 };

static int nonblocking;
static int persistent_calls;
static int rank;
static int next;
static int previous;
static int at_root;

static double outgoing[ROOM];
static double incoming[ROOM];

// Ranks 0 to 3 have 1 to 4 elements wherever processes differ.
static const Count rising[RANKS] = {1, 2, 3, 4};
static const Displacement rising_at[RANKS] = {0, 1, 3, 6};
static const Count uneven[RANKS] = {2, 0, 3, 1};
static const Displacement uneven_at[RANKS] = {0, 2, 2, 5};

// Room for 8 double per process, whatever the unit of the displacements.
static const Displacement far_apart[RANKS] = {0, 64, 128, 192};

static void start_once(const char *name, MPI_Request *request) {
  cairn_region_begin(name);
  MPI_Start(request);
  cairn_region_end(name);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  MPI_Request_free(request);
}

// ---------------------------------------------------------------- messages

static MPI_Request post_receive(void) {
  MPI_Request request;
  MPI_Irecv(incoming, sizeof incoming, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &request);
  // A ready send may start only when its receive has.
  MPI_Barrier(MPI_COMM_WORLD);
  return request;
}

static void attach_buffer(void) {
  static char space[64 * 1024];
  MPI_Buffer_attach(space, sizeof space);
}

static void detach_buffer(void) {
  void *space = NULL;
  int size = 0;
  MPI_Buffer_detach(&space, &size);
}

#define SEND(name, twin, count, type)                                        \
  do {                                                                       \
    MPI_Request receive = post_receive();                                    \
    CALL(name, twin, outgoing, count, type, next, 0, MPI_COMM_WORLD);        \
    MPI_Wait(&receive, MPI_STATUS_IGNORE);                                   \
    CALL(name, twin, outgoing, 100, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD); \
  } while (0)

static void sends(void) {
  attach_buffer();
  SEND(Send, Isend, 1, MPI_INT);
  SEND(Bsend, Ibsend, 2, MPI_INT);
  SEND(Ssend, Issend, 3, MPI_INT);
  SEND(Rsend, Irsend, 5, MPI_INT);
  detach_buffer();
}

// The room to receive is larger than the message: only what is sent counts.
static void exchange(Count count, int dest, int source) {
#if MPI_VERSION >= 4
  if (nonblocking) {
    MPI_Request started;
    FORM(MPI_Isendrecv)
    (outgoing, count, MPI_DOUBLE, dest, 0, incoming, 99, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, &started);
    MPI_Wait(&started, MPI_STATUS_IGNORE);
    FORM(MPI_Isendrecv_replace)(outgoing, count - 2, MPI_INT, dest, 0, source, 0, MPI_COMM_WORLD, &started);
    MPI_Wait(&started, MPI_STATUS_IGNORE);
    return;
  }
#endif
  FORM(MPI_Sendrecv)
  (outgoing, count, MPI_DOUBLE, dest, 0, incoming, 99, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  FORM(MPI_Sendrecv_replace)(outgoing, count - 2, MPI_INT, dest, 0, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A ring, then a chain: at its ends one of the two partners is MPI_PROC_NULL.
static void exchanges(void) {
  exchange(7, next, previous);
  exchange(11, rank + 1 < RANKS ? rank + 1 : MPI_PROC_NULL, rank > 0 ? rank - 1 : MPI_PROC_NULL);
}

// Described once, sent three times: the describing calls send nothing.
static void persistent(void) {
  for (int round = 0; round < 3; ++round) {
    MPI_Request requests[2];
    FORM(MPI_Send_init)(outgoing, 10, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[0]);
    FORM(MPI_Recv_init)(incoming, 10, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
#if MPI_VERSION >= 4
  MPI_Request request;
  FORM(MPI_Bcast_init)(outgoing, 10, MPI_INT, ROOT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
#endif
}

// Each as in `sends`, but described first and started in a region of its own.
#define SEND_DESCRIBED(name, count)                                                                   \
  do {                                                                                                \
    MPI_Request described;                                                                            \
    MPI_Request receive = post_receive();                                                             \
    FORM_OF(MPI_##name##_init)(outgoing, count, MPI_INT, next, 0, MPI_COMM_WORLD, &described);        \
    start_once("MPI_" #name, &described);                                                             \
    MPI_Wait(&receive, MPI_STATUS_IGNORE);                                                            \
    FORM_OF(MPI_##name##_init)(outgoing, 100, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &described); \
    start_once("MPI_" #name, &described);                                                             \
  } while (0)

static void persistent_sends(void) {
  attach_buffer();
  SEND_DESCRIBED(Send, 1);
  SEND_DESCRIBED(Bsend, 2);
  SEND_DESCRIBED(Ssend, 3);
  SEND_DESCRIBED(Rsend, 5);
  detach_buffer();
}

// Two parts of five elements, three times: a message each time.
static void partitioned(void) {
#if MPI_VERSION >= 4
  MPI_Request requests[2];
  MPI_Precv_init(incoming, 2, 5, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init(outgoing, 2, 5, MPI_INT, next, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests);
    MPI_Pready(1, requests[1]);
    MPI_Pready(0, requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
#endif
}

// --------------------------------------------------------------- datatypes

static MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

static MPI_Datatype padded_struct(void) {
  typedef struct {
    int number;
    double value;
  } Pair;
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {offsetof(Pair, number), offsetof(Pair, value)};
  const MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, places, parts, &type);
  return committed(type);
}

static MPI_Datatype block_of_matrix(void) {
  const int all[2] = {4, 5};
  const int part[2] = {2, 3};
  const int begin[2] = {1, 1};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, all, part, begin, MPI_ORDER_C, MPI_DOUBLE, &type);
  return committed(type);
}

static MPI_Datatype scattered_shorts(void) {
  const int lengths[3] = {1, 0, 4};
  const MPI_Aint places[3] = {0, 100, 64};
  MPI_Datatype type;
  MPI_Type_create_hindexed(3, lengths, places, MPI_SHORT, &type);
  return committed(type);
}

// The library gives the handle of a freed type to the next one of another size.
static void reuse_handles(void) {
  for (int length = 1; length <= 5; ++length) {
    MPI_Datatype type;
    MPI_Type_contiguous(length, MPI_INT, &type);
    MPI_Type_commit(&type);
    FORM(MPI_Sendrecv_replace)(outgoing, 1, type, next, 0, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }
}

static void datatypes(void) {
  MPI_Datatype five, spread, lonely, empty;
  MPI_Type_contiguous(5, MPI_INT, &five);
  MPI_Type_vector(3, 2, 7, MPI_DOUBLE, &spread);
  MPI_Type_create_resized(MPI_INT, 0, 64, &lonely);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Datatype types[] = {committed(five), committed(spread), committed(lonely), committed(empty),
                          padded_struct(), block_of_matrix(), scattered_shorts()};
  attach_buffer();
  SEND(Send, Isend, 3, types[0]);
  SEND(Ssend, Issend, 1, types[1]);
  SEND(Bsend, Ibsend, 2, types[4]);
  SEND(Rsend, Irsend, 3, types[2]);
  nonblocking = 1;
  SEND(Send, Isend, 4, types[3]);
  SEND(Ssend, Issend, 1, types[5]);
  SEND(Bsend, Ibsend, 1, types[6]);
  SEND(Rsend, Irsend, 2, MPI_DOUBLE_INT);
  nonblocking = 0;
  detach_buffer();
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) MPI_Type_free(&types[i]);
  reuse_handles();
}

// ------------------------------------------------------------- collectives

static void rooted(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const Count each = at_root ? 5 : JUNK;
  void *const to_scatter = at_root ? outgoing : NULL;
  void *const gathered = at_root ? incoming : NULL;
  const MPI_Datatype ints = at_root ? MPI_INT : MPI_DATATYPE_NULL;
  const MPI_Datatype shorts = at_root ? MPI_SHORT : MPI_DATATYPE_NULL;
  COLLECTIVE(Bcast, Ibcast, outgoing, 10, MPI_INT, ROOT, world);
  COLLECTIVE(Gather, Igather, outgoing, 3, MPI_INT, gathered, at_root ? 3 : JUNK, ints, ROOT, world);
  COLLECTIVE(Gatherv, Igatherv, outgoing, rising[rank], MPI_INT, gathered, at_root ? rising : NULL,
             at_root ? rising_at : NULL, ints, ROOT, world);
  COLLECTIVE(Scatter, Iscatter, to_scatter, each, ints, incoming, 5, MPI_INT, ROOT, world);
  COLLECTIVE(Scatterv, Iscatterv, to_scatter, at_root ? uneven : NULL, at_root ? uneven_at : NULL, shorts, incoming,
             uneven[rank], MPI_SHORT, ROOT, world);
  COLLECTIVE(Reduce, Ireduce, outgoing, gathered, 6, MPI_DOUBLE, MPI_SUM, ROOT, world);
}

// The root's own part stays where it is; it counts all the same.
static void rooted_in_place(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  if (at_root) {
    COLLECTIVE(Gather, Igather, MPI_IN_PLACE, JUNK, MPI_DATATYPE_NULL, incoming, 3, MPI_INT, ROOT, world);
    COLLECTIVE(Gatherv, Igatherv, MPI_IN_PLACE, JUNK, MPI_DATATYPE_NULL, incoming, rising, rising_at, MPI_INT, ROOT,
               world);
    COLLECTIVE(Scatter, Iscatter, outgoing, 5, MPI_INT, MPI_IN_PLACE, JUNK, MPI_DATATYPE_NULL, ROOT, world);
    COLLECTIVE(Scatterv, Iscatterv, outgoing, uneven, uneven_at, MPI_SHORT, MPI_IN_PLACE, JUNK, MPI_DATATYPE_NULL, ROOT,
               world);
    COLLECTIVE(Reduce, Ireduce, MPI_IN_PLACE, incoming, 6, MPI_DOUBLE, MPI_SUM, ROOT, world);
  } else {
    COLLECTIVE(Gather, Igather, outgoing, 3, MPI_INT, NULL, JUNK, MPI_DATATYPE_NULL, ROOT, world);
    COLLECTIVE(Gatherv, Igatherv, outgoing, rising[rank], MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, ROOT, world);
    COLLECTIVE(Scatter, Iscatter, NULL, JUNK, MPI_DATATYPE_NULL, incoming, 5, MPI_INT, ROOT, world);
    COLLECTIVE(Scatterv, Iscatterv, NULL, NULL, NULL, MPI_DATATYPE_NULL, incoming, uneven[rank], MPI_SHORT, ROOT,
               world);
    COLLECTIVE(Reduce, Ireduce, outgoing, NULL, 6, MPI_DOUBLE, MPI_SUM, ROOT, world);
  }
}

static void among_all(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const Count mine = rising[rank];
  const Count same[RANKS] = {mine, mine, mine, mine};
  const MPI_Datatype by_parity[RANKS] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_INT};
  const MPI_Datatype my_type = by_parity[rank];
  const MPI_Datatype my_types[RANKS] = {my_type, my_type, my_type, my_type};
  COLLECTIVE(Allgather, Iallgather, outgoing, 3, MPI_INT, incoming, 3, MPI_INT, world);
  COLLECTIVE(Allgatherv, Iallgatherv, outgoing, mine, MPI_INT, incoming, rising, rising_at, MPI_INT, world);
  COLLECTIVE(Alltoall, Ialltoall, outgoing, 2, MPI_INT, incoming, 2, MPI_INT, world);
  COLLECTIVE(Alltoallv, Ialltoallv, outgoing, rising, rising_at, MPI_SHORT, incoming, same, far_apart, MPI_SHORT,
             world);
  COLLECTIVE(Alltoallw, Ialltoallw, outgoing, rising, far_apart, by_parity, incoming, same, far_apart, my_types, world);
  COLLECTIVE(Allreduce, Iallreduce, outgoing, incoming, 5, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Reduce_scatter, Ireduce_scatter, outgoing, incoming, rising, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, outgoing, incoming, 3, MPI_DOUBLE, MPI_SUM, world);
  COLLECTIVE(Scan, Iscan, outgoing, incoming, 2, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Exscan, Iexscan, outgoing, incoming, 7, MPI_INT, MPI_SUM, world);
}

static void among_all_in_place(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  // What two processes exchange in place has the same size in both directions.
  Count pairwise[RANKS];
  MPI_Datatype pairwise_types[RANKS];
  for (int i = 0; i < RANKS; ++i) {
    pairwise[i] = 1 + (rank + i) % 2;
    pairwise_types[i] = (rank + i) % 2 == 0 ? MPI_INT : MPI_DOUBLE;
  }
  const MPI_Datatype null = MPI_DATATYPE_NULL;
  COLLECTIVE(Allgather, Iallgather, MPI_IN_PLACE, JUNK, null, incoming, 3, MPI_INT, world);
  COLLECTIVE(Allgatherv, Iallgatherv, MPI_IN_PLACE, JUNK, null, incoming, rising, rising_at, MPI_INT, world);
  COLLECTIVE(Alltoall, Ialltoall, MPI_IN_PLACE, JUNK, null, incoming, 2, MPI_INT, world);
  COLLECTIVE(Alltoallv, Ialltoallv, MPI_IN_PLACE, NULL, NULL, null, incoming, pairwise, far_apart, MPI_INT, world);
  COLLECTIVE(Alltoallw, Ialltoallw, MPI_IN_PLACE, NULL, NULL, NULL, incoming, pairwise, far_apart, pairwise_types,
             world);
  COLLECTIVE(Allreduce, Iallreduce, MPI_IN_PLACE, incoming, 5, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Reduce_scatter, Ireduce_scatter, MPI_IN_PLACE, incoming, rising, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, MPI_IN_PLACE, incoming, 3, MPI_DOUBLE, MPI_SUM, world);
  COLLECTIVE(Scan, Iscan, MPI_IN_PLACE, incoming, 2, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Exscan, Iexscan, MPI_IN_PLACE, incoming, 7, MPI_INT, MPI_SUM, world);
}

// ---------------------------------------------------- inter-communicators

// Rank 0 alone on one side, ranks 1 to 3 on the other.
static MPI_Comm between_groups(void) {
  MPI_Comm side, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &between);
  MPI_Comm_free(&side);
  return between;
}

// The lone rank is the root, except in the second broadcast, whose root is rank 1 of the other side.
static void inter_rooted(void) {
  MPI_Comm between = between_groups();
  const int alone = rank == 0;
  const int root = alone ? MPI_ROOT : 0;
  const int back = alone ? 1 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL;
  const MPI_Datatype ints = alone ? MPI_INT : MPI_DATATYPE_NULL;
  const MPI_Datatype shorts = alone ? MPI_SHORT : MPI_DATATYPE_NULL;
  COLLECTIVE(Bcast, Ibcast, outgoing, 10, MPI_INT, root, between);
  COLLECTIVE(Bcast, Ibcast, outgoing, 6, MPI_INT, back, between);
  COLLECTIVE(Gather, Igather, outgoing, 3, MPI_INT, incoming, 3, MPI_INT, root, between);
  COLLECTIVE(Gatherv, Igatherv, outgoing, rank, MPI_INT, incoming, alone ? rising : NULL, alone ? rising_at : NULL,
             ints, root, between);
  COLLECTIVE(Scatter, Iscatter, outgoing, 5, MPI_INT, incoming, 5, MPI_INT, root, between);
  COLLECTIVE(Scatterv, Iscatterv, outgoing, alone ? rising : NULL, alone ? rising_at : NULL, shorts, incoming, rank,
             MPI_SHORT, root, between);
  COLLECTIVE(Reduce, Ireduce, outgoing, incoming, 6, MPI_DOUBLE, MPI_SUM, root, between);
  MPI_Comm_free(&between);
}

// The lone rank has three partners, the others have one.
static void inter_all(void) {
  MPI_Comm between = between_groups();
  const int alone = rank == 0;
  const Count one = alone ? 1 : 0;
  const Count fives[RANKS] = {5, 5, 5, 0};
  const Count mine[RANKS] = {rank, 0, 0, 0};
  const Count ones[RANKS] = {1, 1, 1, 1};
  const MPI_Datatype three_types[RANKS] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_DATATYPE_NULL};
  const MPI_Datatype doubles[RANKS] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE, MPI_DATATYPE_NULL};
  const MPI_Datatype my_type[RANKS] = {three_types[alone ? 0 : rank - 1]};
  const Count all_six[RANKS] = {6, 0, 0, 0};
  COLLECTIVE(Allgather, Iallgather, outgoing, 1 + one, MPI_INT, incoming, 2 - one, MPI_INT, between);
  COLLECTIVE(Allgatherv, Iallgatherv, outgoing, alone ? 4 : rank, MPI_INT, incoming, alone ? rising : &rising[3],
             alone ? rising_at : far_apart, MPI_INT, between);
  COLLECTIVE(Alltoall, Ialltoall, outgoing, 2, MPI_INT, incoming, 2, MPI_INT, between);
  COLLECTIVE(Alltoallv, Ialltoallv, outgoing, alone ? rising : fives, far_apart, alone ? MPI_INT : MPI_SHORT, incoming,
             alone ? fives : mine, far_apart, alone ? MPI_SHORT : MPI_INT, between);
  COLLECTIVE(Alltoallw, Ialltoallw, outgoing, ones, far_apart, alone ? three_types : doubles, incoming, ones, far_apart,
             alone ? doubles : my_type, between);
  COLLECTIVE(Allreduce, Iallreduce, outgoing, incoming, 5, MPI_INT, MPI_SUM, between);
  COLLECTIVE(Reduce_scatter, Ireduce_scatter, outgoing, incoming, alone ? all_six : rising, MPI_INT, MPI_SUM, between);
  COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, outgoing, incoming, alone ? 3 : 1, MPI_INT, MPI_SUM, between);
  MPI_Comm_free(&between);
}

// ------------------------------------------------------------ neighborhoods

// Each of the four neighbors in a periodic 2 x 2 grid gets its part, though two and two of them are the same process.
static void cart(void) {
  const int dimensions[2] = {2, 2};
  const int periodic[2] = {1, 1};
  const Count four[4] = {2, 2, 2, 2};
  const Count by_axis[4] = {1, 1, 3, 3};
  const Displacement places[4] = {0, 64, 128, 192};
  const MPI_Aint byte_places[4] = {0, 64, 128, 192};
  const MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_DOUBLE, MPI_DOUBLE};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periodic, 0, &grid);
  COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, outgoing, 3, MPI_INT, incoming, 3, MPI_INT, grid);
  COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, outgoing, 2, MPI_INT, incoming, four, places, MPI_INT, grid);
  COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, outgoing, 2, MPI_INT, incoming, 2, MPI_INT, grid);
  COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, outgoing, by_axis, places, MPI_INT, incoming, by_axis, places,
             MPI_INT, grid);
  COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, outgoing, by_axis, byte_places, types, incoming, by_axis,
             byte_places, types, grid);
  MPI_Comm_free(&grid);
}

// At the ends of a line a neighbor is MPI_PROC_NULL; the counts for it must be there and mean nothing.
static void open_cart(void) {
  const int dimensions[1] = {RANKS};
  const int open[1] = {0};
  const Count three[2] = {3, 3};
  const Displacement places[2] = {0, 64};
  const MPI_Aint byte_places[2] = {0, 64};
  const MPI_Datatype doubles[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, open, 0, &line);
  COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, outgoing, 1, MPI_INT, incoming, 1, MPI_INT, line);
  COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, outgoing, 2, MPI_INT, incoming, 2, MPI_INT, line);
  COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, outgoing, three, places, MPI_INT, incoming, three, places,
             MPI_INT, line);
  COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, outgoing, three, byte_places, doubles, incoming, three,
             byte_places, doubles, line);
  MPI_Comm_free(&line);
}

static MPI_Comm ring_graph(void) {
  const int index[RANKS] = {2, 4, 6, 8};
  const int edges[2 * RANKS] = {3, 1, 0, 2, 1, 3, 2, 0};
  MPI_Comm ring;
  MPI_Graph_create(MPI_COMM_WORLD, RANKS, index, edges, 0, &ring);
  return ring;
}

static void graph(void) {
  MPI_Comm ring = ring_graph();
  const Count two[2] = {2, 2};
  const Displacement places[2] = {0, 64};
  COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, outgoing, 5, MPI_INT, incoming, 5, MPI_INT, ring);
  COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, outgoing, 1, MPI_INT, incoming, 1, MPI_INT, ring);
  COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, outgoing, two, places, MPI_SHORT, incoming, two, places,
             MPI_SHORT, ring);
  MPI_Comm_free(&ring);
}

// Arrows: 0 to 1, 2, 3; 1 to 0; 3 to 0, 1; none from 2.
typedef struct {
  int in_count;
  int in[RANKS];
  Count from[RANKS];  // elements that come along each arrow when the sender gives its j-th arrow j elements
  int out_count;
  int out[RANKS];
} Arrows;

static const Arrows arrows_of[RANKS] = {
    {2, {1, 3}, {1, 1}, 3, {1, 2, 3}},
    {2, {0, 3}, {1, 2}, 1, {0}},
    {1, {0}, {2}, 0, {0}},
    {1, {0}, {3}, 2, {0, 1}},
};

static void dist_graph(void) {
  const Arrows *const mine = &arrows_of[rank];
  Count one_per_source[RANKS];
  MPI_Datatype out_types[RANKS] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_DATATYPE_NULL};
  MPI_Datatype in_types[RANKS];
  const Count ones[RANKS] = {1, 1, 1, 1};
  const MPI_Aint byte_places[RANKS] = {0, 64, 128, 192};
  for (int i = 0; i < mine->in_count; ++i) {
    one_per_source[i] = rising[mine->in[i]];
    in_types[i] = out_types[mine->from[i] - 1];
  }
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, mine->in_count, mine->in, MPI_UNWEIGHTED, mine->out_count, mine->out,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, outgoing, 2, MPI_INT, incoming, 2, MPI_INT, graph);
  COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, outgoing, rising[rank], MPI_INT, incoming, one_per_source,
             far_apart, MPI_INT, graph);
  COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, outgoing, 1, MPI_DOUBLE, incoming, 1, MPI_DOUBLE, graph);
  COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, outgoing, rising, rising_at, MPI_INT, incoming, mine->from,
             far_apart, MPI_INT, graph);
  COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, outgoing, ones, byte_places, out_types, incoming, ones,
             byte_places, in_types, graph);
  MPI_Comm_free(&graph);
}

// Nobody has a neighbor: arrays without entries may be null, but Open MPI 4 refuses that in persistent calls.
static void lonely(void) {
#ifdef OPEN_MPI
  const Count *const none = persistent_calls ? rising : NULL;
  const MPI_Aint *const nowhere = persistent_calls ? (const MPI_Aint *)outgoing : NULL;
  const MPI_Datatype *const no_types = persistent_calls ? (const MPI_Datatype *)outgoing : NULL;
#else
  const Count *const none = NULL;
  const MPI_Aint *const nowhere = NULL;
  const MPI_Datatype *const no_types = NULL;
#endif
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &graph);
  COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, outgoing, 2, MPI_INT, incoming, 2, MPI_INT, graph);
  COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, outgoing, 2, MPI_INT, incoming, 2, MPI_INT, graph);
  COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, outgoing, none, (const Displacement *)none, MPI_INT, incoming,
             none, (const Displacement *)none, MPI_INT, graph);
  COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, outgoing, none, nowhere, no_types, incoming, none, nowhere,
             no_types, graph);
  MPI_Comm_free(&graph);
}

// Where the data is stands in the datatype.
static void bottom(void) {
  const int length = 10;
  MPI_Aint place;
  MPI_Datatype ints;
  MPI_Get_address(outgoing, &place);
  MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &ints);
  MPI_Type_commit(&ints);
  COLLECTIVE(Bcast, Ibcast, MPI_BOTTOM, 1, ints, ROOT, MPI_COMM_WORLD);
  COLLECTIVE(Gather, Igather, MPI_BOTTOM, 1, ints, incoming, 10, MPI_INT, ROOT, MPI_COMM_WORLD);
  COLLECTIVE(Allgather, Iallgather, MPI_BOTTOM, 1, ints, incoming, 10, MPI_INT, MPI_COMM_WORLD);
  MPI_Type_free(&ints);
}

// --------------------------------------------------------------- one-sided

static MPI_Win open_window(void) {
  void *memory = NULL;
  MPI_Win window;
  MPI_Win_allocate(sizeof incoming, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, sizeof incoming);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  return window;
}

static void close_window(MPI_Win window) {
  MPI_Win_flush_all(window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static void transfer(int target, MPI_Win window) {
  CALL(Put, Rput, outgoing, 3, MPI_INT, target, 0, 3, MPI_INT, window);
  CALL(Get, Rget, incoming, 5, MPI_INT, target, 0, 5, MPI_INT, window);
  CALL(Accumulate, Raccumulate, outgoing, 2, MPI_DOUBLE, target, 64, 2, MPI_DOUBLE, MPI_SUM, window);
  CALL(Get_accumulate, Rget_accumulate, outgoing, 4, MPI_INT, incoming, 4, MPI_INT, target, 128, 4, MPI_INT, MPI_SUM,
       window);
}

static void one_sided(void) {
  MPI_Win window = open_window();
  transfer(next, window);
  transfer(MPI_PROC_NULL, window);
  if (!nonblocking) {
    const int compared = 0;
    MPI_Fetch_and_op(outgoing, incoming, MPI_LONG, next, 256, MPI_SUM, window);
    MPI_Fetch_and_op(outgoing, incoming, MPI_LONG, MPI_PROC_NULL, 256, MPI_SUM, window);
    MPI_Compare_and_swap(outgoing, &compared, incoming, MPI_INT, next, 512, window);
    MPI_Compare_and_swap(outgoing, &compared, incoming, MPI_INT, MPI_PROC_NULL, 512, window);
  }
  close_window(window);
}

// An atomic read: with MPI_NO_OP the origin's buffer, count and datatype mean nothing and nothing leaves the process.
static void one_sided_read(void) {
  MPI_Win window = open_window();
  CALL(Get_accumulate, Rget_accumulate, outgoing, 4, MPI_INT, incoming, 4, MPI_INT, next, 128, 4, MPI_INT, MPI_NO_OP,
       window);
  if (!nonblocking) MPI_Fetch_and_op(outgoing, incoming, MPI_LONG, next, 256, MPI_NO_OP, window);
  close_window(window);
}

// -------------------------------------------------------------------- main

static const struct {
  const char *name;
  void (*run)(void);
} groups[] = {
    {"sends", sends},
    {"exchanges", exchanges},
    {"persistent", persistent},
    {"persistent_sends", persistent_sends},
    {"partitioned", partitioned},
    {"datatypes", datatypes},
    {"rooted", rooted},
    {"rooted_in_place", rooted_in_place},
    {"among_all", among_all},
    {"among_all_in_place", among_all_in_place},
    {"inter_rooted", inter_rooted},
    {"inter_all", inter_all},
    {"cart", cart},
    {"open_cart", open_cart},
    {"graph", graph},
    {"dist_graph", dist_graph},
    {"lonely", lonely},
    {"bottom", bottom},
    {"one_sided", one_sided},
    {"one_sided_read", one_sided_read},
};

static int run_group(const char *name) {
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i) {
    if (strcmp(groups[i].name, name) != 0) continue;
    cairn_region_begin(name);
    groups[i].run();
    cairn_region_end(name);
    return 0;
  }
  return 2;
}

int main(int argc, char **argv) {
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % RANKS;
  previous = (rank + RANKS - 1) % RANKS;
  at_root = rank == ROOT;
  nonblocking = argc > 1 && strcmp(argv[1], "nonblocking") == 0;
  persistent_calls = argc > 1 && strcmp(argv[1], "persistent") == 0;
  int status = size == RANKS && argc > 2 ? 0 : 2;
  for (int i = 2; i < argc && status == 0; ++i) status = run_group(argv[i]);
  MPI_Finalize();
  if (status != 0) fprintf(stderr, "usage: bytes_program blocking|nonblocking|persistent GROUP..., on 4 ranks\n");
  return status;
}
