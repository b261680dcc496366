// SPDX-License-Identifier: BSD-3-Clause
// tls.c - a tool with thread-local counters of MPI_Sendrecv; compiled for several models of thread-local storage.
//
// With the program threads, each of its four threads makes 50 such calls and the main thread none.

#include <mpi.h>

#include "say.h"

// Exported, so that the compiler cannot choose a cheaper model than the one it is told.
__thread int calls_of_thread = 0;
__thread int start_of_thread = 1000;
static __thread int hidden_calls = 0;

static int calls = 0;
static int threads_with_50 = 0;

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  ++calls_of_thread;
  ++start_of_thread;
  ++hidden_calls;
  if (calls_of_thread == 50 && start_of_thread == 1050 && hidden_calls == 50)
    __atomic_fetch_add(&threads_with_50, 1, __ATOMIC_RELAXED);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
}

int MPI_Finalize(void) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  say("tls %d calls=%d threads_with_50=%d main_thread=%d", rank, calls, threads_with_50, calls_of_thread);
  return PMPI_Finalize();
}
