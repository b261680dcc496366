/* SPDX-License-Identifier: BSD-3-Clause */
/* thesis.c - a layer of the thesis's QMPI that wraps what the benchmark calls and does nothing; three kinds. */
/*
 *   CAIRN_EXEC   goes on by EXEC_FUNC
 *   CAIRN_TYPED  asks for the level and calls the pointer by its type, as the thesis advises where time counts
 *   CAIRN_STORED the same, but keeps its part of the table, as the thesis proposes for later
 */
#include <mpi.h>

#include "qmpi_thesis.h"

#ifdef CAIRN_STORED
#define CAIRN_FIND(name) \
  static cell next;      \
  if (next.func_ptr == NULL) next = VECTOR_GET(v, i)->table[_MPI_##name];
#define CAIRN_GO_ON(name, types, ...) ((int(*) types)next.func_ptr)(__VA_ARGS__, next.level, v)
#else
#define CAIRN_FIND(name) \
  void *f;               \
  QMPI_TABLE_QUERY(_MPI_##name, &f, (*VECTOR_GET(v, i)).table);
#ifdef CAIRN_EXEC
#define CAIRN_GO_ON(name, types, ...) EXEC_FUNC(f, i, _MPI_##name, v, __VA_ARGS__)
#else
#define CAIRN_GO_ON(name, types, ...) ((int(*) types)f)(__VA_ARGS__, QMPI_GET_LEVEL(i, _MPI_##name, v), v)
#endif
#endif

/* The empty statement keeps the compiler from making a jump of the call, as in empty.c. */
#define CAIRN_PASS(name, types, ...)                  \
  CAIRN_FIND(name)                                    \
  int result = CAIRN_GO_ON(name, types, __VA_ARGS__); \
  __asm__ volatile("");                               \
  return result;

int bench_Comm_rank(MPI_Comm comm, int *rank, int i, vector *v) {
  CAIRN_PASS(Comm_rank, (MPI_Comm, int *, int, vector *), comm, rank)
}

int bench_Barrier(MPI_Comm comm, int i, vector *v) { CAIRN_PASS(Barrier, (MPI_Comm, int, vector *), comm) }

int bench_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, int i,
                    vector *v) {
  CAIRN_PASS(Allreduce, (const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, int, vector *), from, to, count,
             type, op, comm)
}

int bench_Send(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, int i, vector *v) {
  CAIRN_PASS(Send, (const void *, int, MPI_Datatype, int, int, MPI_Comm, int, vector *), from, count, type, to, tag,
             comm)
}

int bench_Recv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status, int i,
               vector *v) {
  CAIRN_PASS(Recv, (void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *, int, vector *), to, count, type, from,
             tag, comm, status)
}

char *get_interceptions(int i) {
  return i == _MPI_Comm_rank   ? "bench_Comm_rank"
         : i == _MPI_Barrier   ? "bench_Barrier"
         : i == _MPI_Allreduce ? "bench_Allreduce"
         : i == _MPI_Send      ? "bench_Send"
         : i == _MPI_Recv      ? "bench_Recv"
                               : "NULL";
}
