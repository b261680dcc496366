// SPDX-License-Identifier: BSD-3-Clause
// comm_random.c - traffic that follows from a seed, and what each rank then has sent to each other, worked out here.
//
// Usage: comm_random SEED STEPS. Every rank draws the same steps from the seed; those that a step concerns make its
// calls, and all add what it means to their own matrices. Rank 0 prints them: KIND FROM TO MESSAGES BYTES, in world
// ranks. The communicators are the world, a duplicate, the world backwards, halves, a part, two halves facing each
// other, a grid with an open side, and a graph with loops and double edges.

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

// ------------------------------------------------------------ messages

typedef struct {
  const Comm *comm;
  int from, to;      // world ranks
  int source, dest;  // as the calls have them
  int count, type, tag;
} Message;

enum { SEND, BSEND, SSEND, RSEND, ISEND, IBSEND, ISSEND, SENDRECV, REPLACE, PERSISTENT, PARTITIONED, MODES };

static void send_by(int mode, const Message *m) {
  const MPI_Datatype type = types[m->type];
  const MPI_Comm comm = m->comm->comm;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (mode) {
    case SEND:
      MPI_Send(out, m->count, type, m->dest, m->tag, comm);
      break;
    case BSEND:
      MPI_Bsend(out, m->count, type, m->dest, m->tag, comm);
      break;
    case SSEND:
      MPI_Ssend(out, m->count, type, m->dest, m->tag, comm);
      break;
    case RSEND:
      MPI_Rsend(out, m->count, type, m->dest, m->tag, comm);
      break;
    case ISEND:
      MPI_Isend(out, m->count, type, m->dest, m->tag, comm, &request);
      break;
    case IBSEND:
      MPI_Ibsend(out, m->count, type, m->dest, m->tag, comm, &request);
      break;
    case ISSEND:
      MPI_Issend(out, m->count, type, m->dest, m->tag, comm, &request);
      break;
    case SENDRECV:
      MPI_Sendrecv(out, m->count, type, m->dest, m->tag, in, 1, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
      break;
    default:
      MPI_Sendrecv_replace(out, m->count, type, m->dest, m->tag, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The same message three times, by one description of it.
static void repeat(int mode, const Message *m) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const MPI_Datatype type = types[m->type];
  int used = 0;
  (void)mode;
#if MPI_VERSION >= 4
  if (mode == PARTITIONED) {
    if (rank == m->to)
      MPI_Precv_init(in, 2, m->count, type, m->source, m->tag, m->comm->comm, MPI_INFO_NULL, &requests[used++]);
    if (rank == m->from)
      MPI_Psend_init(out, 2, m->count, type, m->dest, m->tag, m->comm->comm, MPI_INFO_NULL, &requests[used++]);
    for (int round = 0; round < 3; ++round) {
      MPI_Startall(used, requests);
      if (rank == m->from) MPI_Pready_range(0, 1, requests[used - 1]);
      MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
    }
  } else
#endif
  {
    if (rank == m->to) MPI_Recv_init(in, m->count, type, m->source, m->tag, m->comm->comm, &requests[used++]);
    if (rank == m->from) MPI_Send_init(out, m->count, type, m->dest, m->tag, m->comm->comm, &requests[used++]);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < used; ++i) MPI_Start(&requests[i]);
      MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
    }
  }
  for (int i = 0; i < used; ++i) MPI_Request_free(&requests[i]);
}

static void receive(const Message *m, int matched) {
  const MPI_Datatype type = types[m->type];
  if (matched) {
    MPI_Message found;
    MPI_Mprobe(m->source, m->tag, m->comm->comm, &found, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, m->count, type, &found, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, m->count, type, m->source, m->tag, m->comm->comm, MPI_STATUS_IGNORE);
  }
}

static void barrier_of_all(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i)
    for (int j = 0; j < ranks; ++j) expect(COLL, i, j, 0);
}

static void message(void) {
  const Comm *const comm = &comms[draw(comm_count)];
  const int facing = comm->other_size != 0;
  Message m = {.comm = comm, .source = draw(comm->size), .dest = draw(facing ? comm->other_size : comm->size)};
  m.count = draw(60);
  m.type = draw(3);
  m.tag = draw(100);
  m.from = comm->world[m.source];
  m.to = facing ? comm->other[m.dest] : comm->world[m.dest];
  int mode = draw(MODES);
  const int matched = draw(2);
#if MPI_VERSION < 4
  if (mode == PARTITIONED) mode = PERSISTENT;
#endif
  if (mode == PARTITIONED && (m.from == m.to || m.count == 0)) mode = PERSISTENT;
  const int times = mode >= PERSISTENT ? 3 : 1, parts = mode == PARTITIONED ? 2 : 1;
  for (int i = 0; i < times; ++i) expect(P2P, m.from, m.to, (unsigned long long)(parts * m.count * type_sizes[m.type]));
  if (mode >= PERSISTENT) {
    if (rank == m.from || rank == m.to) repeat(mode, &m);
    return;
  }
  MPI_Request early = MPI_REQUEST_NULL;
  const int posted = mode == RSEND || m.from == m.to;
  if (posted && rank == m.to) MPI_Irecv(in, m.count, types[m.type], m.source, m.tag, comm->comm, &early);
  if (mode == RSEND) barrier_of_all();
  if (rank == m.from) send_by(mode, &m);
  if (rank == m.to && !posted) receive(&m, matched);
  MPI_Wait(&early, MPI_STATUS_IGNORE);
}

// ------------------------------------------------------------ one-sided

static void one_sided(void) {
  const Comm *const comm = &comms[draw(5)];  // of one group, all of them
  const int from = draw(comm->size), target = draw(comm->size), how = draw(8), count = draw(20), type = draw(2);
  const unsigned long long bytes = (unsigned long long)(count * type_sizes[type]);
  const int me = comm->world[from], it = comm->world[target];
  if (how != 1 && how != 7 && how < 6) expect(OSC, me, it, how >= 4 ? 4 : bytes);
  if (how == 1 || how == 3 || how == 7) expect(OSC, it, me, bytes);
  if (how == 4 || how == 5 || how == 6) expect(OSC, it, me, 4);
  if (comm->comm == MPI_COMM_NULL) return;
  static char window[ROOM];
  MPI_Win win;
  MPI_Win_create(window, sizeof window, 1, MPI_INFO_NULL, comm->comm, &win);
  MPI_Win_lock_all(0, win);
  if (rank == me) {
    const MPI_Datatype t = type == 0 ? MPI_INT : MPI_DOUBLE;
    MPI_Request request = MPI_REQUEST_NULL;
    switch (how) {
      case 0:
        MPI_Rput(out, count, t, target, 0, count, t, win, &request);
        break;
      case 1:
        MPI_Rget(in, count, t, target, 0, count, t, win, &request);
        break;
      case 2:
        MPI_Accumulate(out, count, t, target, 0, count, t, MPI_SUM, win);
        break;
      case 3:
        MPI_Get_accumulate(out, count, t, in, count, t, target, 0, count, t, MPI_SUM, win);
        break;
      case 4:
        MPI_Fetch_and_op(out, in, MPI_INT, target, 0, MPI_SUM, win);
        break;
      case 5:
        MPI_Compare_and_swap(out, out, in, MPI_INT, target, 0, win);
        break;
      case 6:
        MPI_Fetch_and_op(NULL, in, MPI_INT, target, 0, MPI_NO_OP, win);
        break;
      default:
        MPI_Get(in, count, t, target, 0, count, t, win);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Put(out, 5, MPI_INT, MPI_PROC_NULL, 0, 5, MPI_INT, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// ------------------------------------------------------------ collectives

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

// ------------------------------------------------------------

static void make_types(void) {
  types[0] = MPI_INT;
  types[1] = MPI_DOUBLE;
  MPI_Type_vector(3, 1, 2, MPI_INT, &types[2]);  // with gaps
  MPI_Type_commit(&types[2]);
}

int main(int argc, char **argv) {
  static char space[1 << 20];
  void *detached = space;
  int size = sizeof space;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || ranks < 3 || ranks > MOST) MPI_Abort(MPI_COMM_WORLD, 2);
  state = strtoull(argv[1], NULL, 10);
  MPI_Buffer_attach(space, size);
  make_types();
  make_plain();
  make_halves();
  make_grid();
  make_graph();
  for (int step = 0; step < atoi(argv[2]); ++step) {
    const int what = draw(10);
    if (what < 4) message();
    else if (what < 8) collective();
    else if (what < 9) neighborhood();
    else one_sided();
  }
  for (int i = 1; i < comm_count; ++i)
    if (comms[i].comm != MPI_COMM_NULL) MPI_Comm_free(&comms[i].comm);
  MPI_Type_free(&types[2]);
  MPI_Buffer_detach(&detached, &size);
  for (int kind = 0; kind < KINDS && rank == 0; ++kind)
    for (int i = 0; i < ranks; ++i)
      for (int j = 0; j < ranks; ++j)
        if (messages[kind][i][j] != 0)
          printf("%s %d %d %llu %llu\n", kind_names[kind], i, j, messages[kind][i][j], volume[kind][i][j]);
  MPI_Finalize();
  return 0;
}
