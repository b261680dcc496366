// SPDX-License-Identifier: BSD-3-Clause
// monitoring_as_printed.c - the calls of the two examples in the monitoring component's report, sections 8.5.1 and 8.5.2
//
// Usage: monitoring_as_printed FILE. The communicator itself stands where MPI_T wants its address, nothing is freed, and
// what is written to the flush variable in the end is an empty name, then no name at all. Rank 0 prints, for each rank,
// the most messages that any rank has sent to it.

#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const void *nothing = NULL;
static int rank, size;

static void check(int code, const char *what) {
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "%s: code %d\n", what, code);
  MPI_Abort(MPI_COMM_WORLD, code);
}

static void circulate_token(void) {
  int n = -1, tag = 201;
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Request request;
  if (rank == 0) {
    n = 25;
    MPI_Isend(&n, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
  }
  do {
    MPI_Irecv(&n, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) --n, ++tag;
    MPI_Isend(&n, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
    if (rank != 0) --n, ++tag;
  } while (n >= 0);
}

static MPI_T_pvar_handle started(MPI_T_pvar_session session, const char *name, int class, int *count) {
  int index;
  MPI_T_pvar_handle handle;
  check(MPI_T_pvar_get_index(name, class, &index), name);
  check(MPI_T_pvar_handle_alloc(session, index, (void *)(intptr_t)MPI_COMM_WORLD, &handle, count), "handle_alloc");
  check(MPI_T_pvar_start(session, handle), "start");
  return handle;
}

static void count_messages(MPI_T_pvar_session session) {
  int count;
  MPI_T_pvar_handle handle = started(session, "pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &count);
  uint64_t *const counts = malloc((size_t)count * sizeof *counts);
  circulate_token();
  check(MPI_T_pvar_read(session, handle, counts), "read");
  MPI_Allreduce(MPI_IN_PLACE, counts, count, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < count && rank == 0; ++i) printf("to %d: %lu\n", i, (unsigned long)counts[i]);
  free(counts);
  check(MPI_T_pvar_stop(session, handle), "stop");
  check(MPI_T_pvar_handle_free(session, &handle), "handle_free");
}

int main(int argc, char **argv) {
  int provided, length;
  MPI_T_pvar_session session;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
  check(MPI_T_pvar_session_create(&session), "session_create");
  MPI_T_pvar_handle flush = started(session, "pml_monitoring_flush", MPI_T_PVAR_CLASS_GENERIC, &length);
  if (rank == 0) printf("file name of %d\n", length);
  circulate_token();
  check(MPI_T_pvar_write(session, flush, argv[1]), "write");
  check(MPI_T_pvar_stop(session, flush), "stop");
  check(MPI_T_pvar_write(session, flush, &nothing), "write an empty name");
  count_messages(session);
  check(MPI_T_pvar_write(session, flush, NULL), "write no name");
  (void)MPI_T_finalize();
  MPI_Finalize();
  return EXIT_SUCCESS;
}
