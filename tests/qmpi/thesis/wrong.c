// SPDX-License-Identifier: BSD-3-Clause
// wrong.c - a tool of the thesis's QMPI that does one thing wrong: -DMISSING, -DLEVEL, or neither for another header

#include <mpi.h>

#if !defined(MISSING) && !defined(LEVEL)
#define CAIRN_QMPI_THESIS_NO_TOOL
#endif
#include "qmpi_thesis.h"

int wrong_Finalize(int i, vector *v) {
  void *f = NULL;
  QMPI_Set_context(v, 1000, &f, sizeof f);
  QMPI_TABLE_QUERY(_MPI_Finalize, &f, (*VECTOR_GET(v, i)).table);
  return EXEC_FUNC(f, i, _MPI_Finalize, v);
}

char *get_interceptions(int i) {
#ifdef MISSING
  if (i == _MPI_Send) return "wrong_Send";
#endif
  return i == _MPI_Finalize ? "wrong_Finalize" : "NULL";
}
