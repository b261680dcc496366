// SPDX-License-Identifier: BSD-3-Clause
// basics.c - broadcasts one element of each datatype that MPI has from the start, and of some that are made without
// MPI_Type_commit, and tells their sizes
#include <mpi.h>
#include <stdio.h>

static int rank;

static void broadcast(MPI_Datatype type) {
  static char room[256];
  int size = 0;
  if (type == MPI_DATATYPE_NULL) return;
  MPI_Type_size(type, &size);
  if (size == 0) return;  // this library or processor does not have it
  MPI_Bcast(room, 1, type, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d\n", size);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Datatype all[] = {MPI_WCHAR,
                              MPI_SHORT_INT,
                              MPI_LONG_DOUBLE_INT,
                              MPI_2INT,
                              MPI_CXX_BOOL,
                              MPI_CXX_DOUBLE_COMPLEX,
                              MPI_C_LONG_DOUBLE_COMPLEX,
                              MPI_DOUBLE_PRECISION,
                              MPI_2INTEGER,
                              MPI_2REAL,
                              MPI_2DOUBLE_PRECISION,
#ifdef MPI_REAL8
                              MPI_REAL4,
                              MPI_REAL8,
                              MPI_COMPLEX16,
#endif
#ifdef MPI_INTEGER8
                              MPI_INTEGER1,
                              MPI_INTEGER2,
                              MPI_INTEGER4,
                              MPI_INTEGER8,
#endif
                              MPI_PACKED};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) broadcast(all[i]);
  MPI_Datatype row, copy, made;
  MPI_Type_contiguous(5, MPI_INT, &row);
  MPI_Type_commit(&row);
  MPI_Type_dup(row, &copy);
  broadcast(copy);
  MPI_Type_free(&row);
  broadcast(copy);
  MPI_Type_free(&copy);
  MPI_Type_create_f90_real(6, 30, &made);
  broadcast(made);
  MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &made);
  broadcast(made);
  MPI_Finalize();
  return 0;
}
