// SPDX-License-Identifier: BSD-3-Clause
// counter.c - a PMPI tool that counts two functions over all threads and says so in MPI_Finalize.

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_long ranks;
static atomic_long exchanges;

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  atomic_fetch_add(&ranks, 1);
  return PMPI_Comm_rank(comm, rank);
}

int MPI_Sendrecv(const void *sent, int sent_count, MPI_Datatype sent_type, int dest, int sent_tag, void *received,
                 int received_count, MPI_Datatype received_type, int source, int received_tag, MPI_Comm comm,
                 MPI_Status *status) {
  atomic_fetch_add(&exchanges, 1);
  return PMPI_Sendrecv(sent, sent_count, sent_type, dest, sent_tag, received, received_count, received_type, source,
                       received_tag, comm, status);
}

int MPI_Finalize(void) {
  fprintf(stderr, "counter: %ld %ld\n", atomic_load(&ranks), atomic_load(&exchanges));
  return PMPI_Finalize();
}
