// SPDX-License-Identifier: BSD-3-Clause
// counter.c - a small PMPI tool as anyone might have: counts a few functions and passes every call on.
//
// It knows nothing of Cairn. If COUNTER_OUT is set, MPI_Finalize adds a line per function to COUNTER_OUT.<rank>, below
// those of other instances. Without it the tool is silent.

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { SEND, RECV, ISEND, IRECV, SENDRECV, WAIT, WAITALL, BCAST, BARRIER, ALLREDUCE, REDUCE, ALLTOALL, FUNCTIONS };

static const char *const names[FUNCTIONS] = {"MPI_Send",     "MPI_Recv",      "MPI_Isend",   "MPI_Irecv",
                                             "MPI_Sendrecv", "MPI_Wait",      "MPI_Waitall", "MPI_Bcast",
                                             "MPI_Barrier",  "MPI_Allreduce", "MPI_Reduce",  "MPI_Alltoall"};

static unsigned long calls[FUNCTIONS];

static void add(int function) { __atomic_fetch_add(&calls[function], 1, __ATOMIC_RELAXED); }

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  add(SEND);
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  add(RECV);
  return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request) {
  add(ISEND);
  return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  add(IRECV);
  return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status *status) {
  add(SENDRECV);
  return PMPI_Sendrecv(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag, comm, status);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  add(WAIT);
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  add(WAITALL);
  return PMPI_Waitall(count, requests, statuses);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  add(BCAST);
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  add(BARRIER);
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  add(ALLREDUCE);
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  add(REDUCE);
  return PMPI_Reduce(in, out, count, type, op, root, comm);
}

int MPI_Alltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,
                 MPI_Comm comm) {
  add(ALLTOALL);
  return PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, comm);
}

static void write_counts(const char *base) {
  char path[4096];
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s.%d", base, rank);
  FILE *file = fopen(path, "a");
  if (file == NULL) return;
  for (int i = 0; i < FUNCTIONS; ++i)
    if (calls[i] != 0) fprintf(file, "%s %lu\n", names[i], calls[i]);
  fclose(file);
}

int MPI_Finalize(void) {
  const char *base = getenv("COUNTER_OUT");
  if (base != NULL) write_counts(base);
  return PMPI_Finalize();
}
