// SPDX-License-Identifier: BSD-3-Clause
// glue.c - the stand-in's Fortran glue: turns Fortran calls into calls of PMPI_X, as both real libraries do.
//
// mpi_bcast_ asks for the communicator's size on its own account, as real glue does where arrays have an entry per
// rank. A Fortran handle is the number of a predefined handle; other handles have none here.

#include "glue.h"

#include <mpi.h>

#include <string.h>

#define HANDLE(type, number) ((type)(intptr_t)(number))

void mpi_init_(int *error) { *error = PMPI_Init(NULL, NULL); }
void mpi_finalize_(int *error) { *error = PMPI_Finalize(); }
void mpi_comm_rank_(const int *comm, int *rank, int *error) { *error = PMPI_Comm_rank(PMPI_Comm_fromint(*comm), rank); }
void mpi_barrier_(const int *comm, int *error) { *error = PMPI_Barrier(PMPI_Comm_fromint(*comm)); }
void mpi_comm_size_(const int *comm, int *size, int *error) { *error = PMPI_Comm_size(PMPI_Comm_fromint(*comm), size); }
double mpi_wtime_(void) { return PMPI_Wtime(); }

void mpi_send_(const void *buffer, const int *count, const int *type, const int *rank, const int *tag, const int *comm,
               int *error) {
  *error = PMPI_Send(buffer, *count, HANDLE(MPI_Datatype, *type), *rank, *tag, PMPI_Comm_fromint(*comm));
}

void mpi_bcast_(void *buffer, const int *count, const int *type, const int *root, const int *comm, int *error) {
  int size = 0;
  *error = PMPI_Comm_size(PMPI_Comm_fromint(*comm), &size);
  if (*error == MPI_SUCCESS && *root >= size) *error = MPI_ERR_RANK;
  if (*error == MPI_SUCCESS)
    *error = PMPI_Bcast(buffer, *count, HANDLE(MPI_Datatype, *type), *root, PMPI_Comm_fromint(*comm));
}

void mpi_recv_(void *buffer, const int *count, const int *type, const int *rank, const int *tag, const int *comm,
               int *status, int *error) {
  MPI_Status c_status;
  *error = PMPI_Recv(buffer, *count, HANDLE(MPI_Datatype, *type), *rank, *tag, PMPI_Comm_fromint(*comm), &c_status);
  memcpy(status, &c_status, sizeof c_status);  // the ABI gives both eight integers in the same order
}
