// SPDX-License-Identifier: BSD-3-Clause
// counter.c - a tool of the thesis's QMPI with a context of its own, all forms of the API, and calls of its own
//

#include <mpi.h>

#include "../say.h"
#include "qmpi_thesis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int ranks_seen;
  int phase;
} Counts;

int count_Init(int *argc, char ***argv, int i, vector *v) {
  Counts counts = {0, -1};
  void *f = NULL;
  QMPI_SET_CONTEXT(v, i, &counts, sizeof counts);
  counts.ranks_seen = 1000; /* a copy is kept */
  QMPI_TABLE_QUERY(_MPI_Init, &f, (*VECTOR_GET(v, i)).table);
  return EXEC_FUNC(f, i, _MPI_Init, v, argc, argv);
}

int count_Comm_rank(MPI_Comm comm, int *rank, int i, vector *v) {
  void *f = NULL;
  ((Counts *)QMPI_GET_CONTEXT(v, i))->ranks_seen++;
  QMPI_Table_query(_MPI_Comm_rank, &f, (*vector_get(v, i)).table);
  return exec_func(f, i, _MPI_Comm_rank, v, comm, rank);
}

/* Own calls, in all ways. */
int count_Barrier(MPI_Comm comm, int i, vector *v) {
  void *f = NULL;
  int rank = -1;
  PMPI_Comm_rank(comm, &rank);
  MPI_TABLE_QUERY(_MPI_Comm_rank, &f, (*VECTOR_GET(v, i)).table);
  EXEC_FUNC(f, i, _MPI_Comm_rank, v, comm, &rank);
  QMPI_TABLE_QUERY(_MPI_Barrier, &f, (*VECTOR_GET(v, i)).table);
  return EXEC_FUNC(f, i, _MPI_Barrier, v, comm);
}

double count_Wtick(int i, vector *v) {
  void *f = NULL;
  QMPI_TABLE_QUERY(_MPI_Wtick, &f, (*VECTOR_GET(v, i)).table);
  return EXEC_FUNC(f, i, _MPI_Wtick, v);
}

int count_Pcontrol(const int level, int i, vector *v) {
  ((Counts *)QMPI_Get_context(v, i))->phase = level;
  return MPI_SUCCESS;
}

int count_Finalize(int i, vector *v) {
  void *f = NULL;
  Counts *counts = (Counts *)QMPI_Get_context(v, i);
  say("counter %d: phase %d, MPI_Comm_rank seen %d times\n", i, counts->phase, counts->ranks_seen);
  QMPI_TABLE_QUERY(_MPI_Finalize, &f, (*VECTOR_GET(v, i)).table);
  return EXEC_FUNC(f, i, _MPI_Finalize, v);
}

char *get_interceptions(int i) {
  switch (i) {
    case _MPI_Init:
      return (char *)"count_Init";
    case _MPI_Comm_rank:
      return (char *)"count_Comm_rank";
    case _MPI_Barrier:
      return (char *)"count_Barrier";
    case _MPI_Wtick:
      return (char *)"count_Wtick";
    case _MPI_Pcontrol:
      return (char *)"count_Pcontrol";
    case _MPI_Finalize:
      return (char *)"count_Finalize";
    default:
      return (char *)"NULL";
  }
}

#ifdef __cplusplus
}
#endif
