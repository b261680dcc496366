// SPDX-License-Identifier: BSD-3-Clause
// cases.c - a tool for the cases of figure 3.1: says what every table of the vector holds for MPI_Send
//
// -DNAME, -DSENDS: it wraps MPI_Send. Every layer wraps MPI_Init, so that the outermost can show all tables. A cell is
// shown as the tool whose wrapper it holds, "out" for anything else, and the level.

#include <dlfcn.h>
#include <mpi.h>

#include "../say.h"
#include "qmpi_thesis.h"

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

int JOIN(NAME, _Send)(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, int i,
                      vector *v) {
  void *f = NULL;
  QMPI_Table_query(_MPI_Send, &f, (*vector_get(v, i)).table);
  return exec_func(f, i, _MPI_Send, v, buffer, count, type, dest, tag, comm);
}

int JOIN(NAME, _Init)(int *argc, char ***argv, int i, vector *v) {
  void *f = NULL;
  int level;
  for (level = 0; i == 1 && level < vector_total(v); ++level) {
    Dl_info where;
    const cell *one = &(*VECTOR_GET(v, level)).table[_MPI_Send];
    const int known =
        dladdr(one->func_ptr, &where) != 0 && where.dli_sname != NULL && strstr(where.dli_sname, "_Send") != NULL;
    say("%d: %s %d\n", level, known ? where.dli_sname : "out", one->level);
  }
  QMPI_Table_query(_MPI_Init, &f, (*vector_get(v, i)).table);
  return exec_func(f, i, _MPI_Init, v, argc, argv);
}

char *get_interceptions(int i) {
#ifdef SENDS
  if (i == _MPI_Send) return TEXT(JOIN(NAME, _Send));
#endif
  return i == _MPI_Init ? TEXT(JOIN(NAME, _Init)) : i == _MPI_Abort ? NULL : "NULL";
}
