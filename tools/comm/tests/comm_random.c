// SPDX-License-Identifier: BSD-3-Clause
// comm_random.c - traffic that follows from a seed, and what each rank then has sent to each other, worked out here.
//
// Usage: comm_random SEED STEPS [killed]. Every rank draws the same steps from the seed; those that a step concerns make its
// calls, and all add what it means to their own matrices. Rank 0 prints them: KIND FROM TO MESSAGES BYTES, in world
// ranks. The communicators are the world, a duplicate, the world backwards, halves, a part, two halves facing each
// other, a grid with an open side, and a graph with loops and double edges. With `killed` each rank kills itself then.

#include <signal.h>

#include "comm_random.h"
#include "comm_random_collectives.h"

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
  const int is_killed = argc == 4 && strcmp(argv[3], "killed") == 0;
  if (argc != 3 + is_killed || ranks < 3 || ranks > MOST) MPI_Abort(MPI_COMM_WORLD, 2);
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
  fflush(stdout);
  PMPI_Barrier(MPI_COMM_WORLD);  // no tool sees it
  if (is_killed) raise(SIGKILL);
  MPI_Finalize();
  return 0;
}
