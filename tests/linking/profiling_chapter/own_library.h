/* SPDX-License-Identifier: BSD-3-Clause */
/* own_library.h - the functions of a small MPI library that delivers nothing; FUNCTION(name) is what they are defined as. */

#include <mpi.h>

static int is_there;

int FUNCTION(MPI_Init)(int *argc, char ***argv) { return (void)argc, (void)argv, is_there = 1, MPI_SUCCESS; }
int FUNCTION(MPI_Initialized)(int *flag) { return *flag = is_there, MPI_SUCCESS; }
int FUNCTION(MPI_Finalize)(void) { return MPI_SUCCESS; }
int FUNCTION(MPI_Send)(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return (void)buffer, (void)count, (void)type, (void)to, (void)tag, (void)comm, MPI_SUCCESS;
}
int FUNCTION(MPI_Type_size)(MPI_Datatype type, int *size) {
  (void)type;
  *size = 8;
  return MPI_SUCCESS;
}
double FUNCTION(MPI_Wtime)(void) { return 0.5; }
int FUNCTION(MPI_Pcontrol)(const int level, ...) { return (void)level, MPI_SUCCESS; }
