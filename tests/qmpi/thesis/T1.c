// SPDX-License-Identifier: BSD-3-Clause
// T1.c - the first tool of the thesis's appendix (listing 7.1), for Cairn's header
//
// Slips of the print that are corrected: wrappers of functions that return an int return it (four were void, and the
// result of theirs was lost); the wrapper of MPI_Pcontrol keeps no unused pointer.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../src/obj/qmpi.h"

#ifndef _EXTERN_C_
#ifdef __cplusplus
#define _EXTERN_C_ extern "C"
#else /* __cplusplus */
#define _EXTERN_C_
#endif /* __cplusplus */
#endif /* _EXTERN_C_ */

char *interceptions[] = {
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "T1_Allgather", "T1_Allgatherv", "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "T1_Comm_rank", "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "T1_Comm_size",  "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "T1_Finalize", "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "T1_Init", "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "T1_Pcontrol", "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
    "NULL",         "NULL",        "NULL",    "NULL",        "NULL", "NULL", "NULL",         "NULL",          "NULL",
};

_EXTERN_C_ char *get_interceptions(int i) { return interceptions[i]; }

_EXTERN_C_ int T1_Init(int *argc, char ***argv, int i, vector *v) {
  int ret = 1;
  void *f = NULL;
  QMPI_TABLE_QUERY(200, &f, (*VECTOR_GET(v, i)).table);
  ret = EXEC_FUNC(f, i, 200, v, argc, argv);
  return ret;
}

_EXTERN_C_ int T1_Comm_rank(MPI_Comm comm, int *rank, int i, vector *v) {
  void *f = NULL;
  QMPI_TABLE_QUERY(_MPI_Comm_rank, &f, (*VECTOR_GET(v, i)).table);
  int new_level = QMPI_Get_level(i, _MPI_Comm_rank, v);
  typedef int (*comm_rank_func)(MPI_Comm comm, int *rank, int i, vector *v);
  int ret = ((comm_rank_func)f)(comm, rank, new_level, v);
  return ret;
}

_EXTERN_C_ int T1_Finalize(int i, vector *v) {
  void *f = NULL;
  QMPI_TABLE_QUERY(_MPI_Finalize, &f, (*VECTOR_GET(v, i)).table);
  return EXEC_FUNC(f, i, _MPI_Finalize, v);
}

_EXTERN_C_ int T1_Comm_size(MPI_Comm comm, int *size, int i, vector *v) {
  void *f = NULL;
  QMPI_TABLE_QUERY(_MPI_Comm_size, &f, (*VECTOR_GET(v, i)).table);
  return EXEC_FUNC(f, i, _MPI_Comm_size, v, comm, size);
}

_EXTERN_C_ int T1_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                            MPI_Datatype recvtype, MPI_Comm comm, int i, vector *v) {
  void *f = NULL;
  QMPI_TABLE_QUERY(_MPI_Allgather, &f, (*VECTOR_GET(v, i)).table);
  return EXEC_FUNC(f, i, _MPI_Allgather, v, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

_EXTERN_C_ int T1_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, int i,
                             vector *v) {
  void *f = NULL;
  QMPI_TABLE_QUERY(_MPI_Allgatherv, &f, (*VECTOR_GET(v, i)).table);
  return EXEC_FUNC(f, i, _MPI_Allgatherv, v, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

_EXTERN_C_ int T1_Pcontrol(const int level, int i, vector *v) {
  (void)level;
  (void)i;
  (void)v;
  return MPI_SUCCESS;
}
