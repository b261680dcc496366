/* SPDX-License-Identifier: BSD-3-Clause */
/* qmpi.c - a layer of MPICH's QMPI that wraps what the benchmark calls and does nothing; two kinds. */
/*
 *   CAIRN_CACHED   finds the next function once and keeps it in a variable of its own
 *   CAIRN_STORAGE  keeps it in its storage, which it asks for at each call
 */
#include <mpi.h>

struct way {
  void (*next)(void);
  int next_id;
};

#ifdef CAIRN_CACHED
#define CAIRN_WAY(name) const struct way *way = &way_of_##name;
#else
#define CAIRN_WAY(name)                              \
  void *storage;                                     \
  QMPI_Get_tool_storage(context, tool_id, &storage); \
  const struct way *way = (const struct way *)storage + number_of_##name;
#endif

enum { number_of_Comm_rank, number_of_Barrier, number_of_Allreduce, number_of_Send, number_of_Recv, wrapped };
static struct way ways[wrapped];
#define way_of_Comm_rank ways[number_of_Comm_rank]
#define way_of_Barrier ways[number_of_Barrier]
#define way_of_Allreduce ways[number_of_Allreduce]
#define way_of_Send ways[number_of_Send]
#define way_of_Recv ways[number_of_Recv]

/* The empty statement keeps the compiler from making a jump of the call, as in empty.c. */
#define CAIRN_PASS(name, ...)                                                      \
  CAIRN_WAY(name)                                                                  \
  (void)tool_id;                                                                   \
  int result = ((QMPI_##name##_t *)way->next)(context, way->next_id, __VA_ARGS__); \
  __asm__ volatile("");                                                            \
  return result;

static int comm_rank(QMPI_Context context, int tool_id, MPI_Comm comm, int *rank) { CAIRN_PASS(Comm_rank, comm, rank) }

static int barrier(QMPI_Context context, int tool_id, MPI_Comm comm) { CAIRN_PASS(Barrier, comm) }

static int allreduce(QMPI_Context context, int tool_id, const void *from, void *to, int count, MPI_Datatype type,
                     MPI_Op op, MPI_Comm comm) {
  CAIRN_PASS(Allreduce, from, to, count, type, op, comm)
}

static int send(QMPI_Context context, int tool_id, const void *from, int count, MPI_Datatype type, int to, int tag,
                MPI_Comm comm) {
  CAIRN_PASS(Send, from, count, type, to, tag, comm)
}

static int recv(QMPI_Context context, int tool_id, void *to, int count, MPI_Datatype type, int from, int tag,
                MPI_Comm comm, MPI_Status *status) {
  CAIRN_PASS(Recv, to, count, type, from, tag, comm, status)
}

static void wrap(int id, enum QMPI_Functions_enum number, void (*wrapper)(void), struct way *way) {
  QMPI_Register_function(id, number, wrapper);
  QMPI_Get_function(id, number, &way->next, &way->next_id);
}

static void init(int id) {
  QMPI_Register_tool_storage(id, ways);
  wrap(id, MPI_COMM_RANK_T, (void (*)(void))comm_rank, &way_of_Comm_rank);
  wrap(id, MPI_BARRIER_T, (void (*)(void))barrier, &way_of_Barrier);
  wrap(id, MPI_ALLREDUCE_T, (void (*)(void))allreduce, &way_of_Allreduce);
  wrap(id, MPI_SEND_T, (void (*)(void))send, &way_of_Send);
  wrap(id, MPI_RECV_T, (void (*)(void))recv, &way_of_Recv);
}

__attribute__((constructor)) static void make_known(void) { QMPI_Register_tool_name("bench", init); }
