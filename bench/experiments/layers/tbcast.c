/* SPDX-License-Identifier: BSD-3-Clause */
/* tbcast.c - a layer that makes a broadcast of messages from the root to everyone, as a PMPI tool and for the thesis's QMPI. */
/* CAIRN_PMPI or CAIRN_THESIS; examples/tools/tbcast.cc is the same with the C++ kit, with what a tool for daily use needs. */
#include <mpi.h>

enum { TAG = 4711 };

#ifdef CAIRN_PMPI

#define CAIRN_DOWN(name, ...) PMPI_##name(__VA_ARGS__)
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
#else

#include "qmpi_thesis.h"

#define CAIRN_DOWN(name, ...)                                     \
  __extension__({                                                 \
    void *f;                                                      \
    QMPI_TABLE_QUERY(_MPI_##name, &f, (*VECTOR_GET(v, i)).table); \
    EXEC_FUNC(f, i, _MPI_##name, v, __VA_ARGS__);                 \
  })

char *get_interceptions(int i) { return i == _MPI_Bcast ? "bench_Bcast" : "NULL"; }

int bench_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int i, vector *v) {
#endif
  int rank, size;
  CAIRN_DOWN(Comm_rank, comm, &rank);
  CAIRN_DOWN(Comm_size, comm, &size);
  if (rank != root) return CAIRN_DOWN(Recv, buffer, count, type, root, TAG, comm, MPI_STATUS_IGNORE);
  for (int other = 0; other < size; ++other)
    if (other != root) CAIRN_DOWN(Send, buffer, count, type, other, TAG, comm);
  return MPI_SUCCESS;
}
