// SPDX-License-Identifier: BSD-3-Clause
// glue.h - the stand-in's Fortran entry points as a Fortran compiler would call them: lower case, everything by
// address.
#ifndef STANDIN_GLUE_H
#define STANDIN_GLUE_H

void mpi_init_(int *error);
void mpi_finalize_(int *error);
void mpi_comm_rank_(const int *comm, int *rank, int *error);
void mpi_comm_size_(const int *comm, int *size, int *error);
void mpi_bcast_(void *buffer, const int *count, const int *type, const int *root, const int *comm, int *error);
void mpi_send_(const void *buffer, const int *count, const int *type, const int *rank, const int *tag, const int *comm,
               int *error);
void mpi_recv_(void *buffer, const int *count, const int *type, const int *rank, const int *tag, const int *comm,
               int *status, int *error);
void mpi_barrier_(const int *comm, int *error);
double mpi_wtime_(void);

#endif
