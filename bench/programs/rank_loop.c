/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_loop.c - what cheap MPI calls cost, how long the first call and MPI_Init take, and the memory that both add. */
/*
 * rank_loop [BLOCKS [CALLS]] prints one line of JSON on rank 0. The first MPI call is MPI_Initialized, so that building
 * a stack of tools is timed apart from MPI_Init. BLOCKS 0 leaves the timing loops out; counting instructions
 * (callgrind) looks at the function rank_calls only, at two lengths, CALLS and three times as many.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

struct start {
  double bind_ms;
  double init_ms;
  long rss_before_kib;
  long rss_bound_kib;
  long rss_init_kib;
};

__attribute__((noinline)) void rank_calls(long calls) {
  int rank;
  for (long i = 0; i < calls; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void barriers_on_self(long calls) {
  for (long i = 0; i < calls; ++i) MPI_Barrier(MPI_COMM_SELF);
}

static void allreduces_on_self(long calls) {
  double in = 1, out;
  for (long i = 0; i < calls; ++i) MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static struct start start_mpi(int *argc, char ***argv) {
  struct start start;
  int initialized;
  start.rss_before_kib = resident_kib();
  double begin = now_ns();
  MPI_Initialized(&initialized);
  start.bind_ms = (now_ns() - begin) * 1e-6;
  start.rss_bound_kib = resident_kib();
  begin = now_ns();
  MPI_Init(argc, argv);
  start.init_ms = (now_ns() - begin) * 1e-6;
  start.rss_init_kib = resident_kib();
  return start;
}

/* "Open MPI v4.1.4" or "MPICH Version: 4.0.2": the first part of a text that differs from MPI to MPI. */
static void name_library(char *name) {
  int length;
  MPI_Get_library_version(name, &length);
  name[strcspn(name, "\n,\"\\")] = '\0';
  for (char *c = name; *c != '\0'; ++c)
    if (*c == '\t') *c = ' ';
}

int main(int argc, char **argv) {
  const long blocks = argc > 1 ? atol(argv[1]) : 200;
  const long calls = argc > 2 ? atol(argv[2]) : 20000;
  const struct start start = start_mpi(&argc, &argv);
  int rank;
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  name_library(library);

  if (blocks == 0) run_counted(rank_calls, calls);
  const double rank_ns = fastest(rank_calls, blocks, calls);
  const double barrier_ns = fastest(barriers_on_self, blocks / 2, calls / 2);
  const double allreduce_ns = fastest(allreduces_on_self, blocks / 2, calls / 2);
  if (rank == 0)
    printf(
        "{\"library\": \"%s\", \"bind_ms\": %.4f, \"init_ms\": %.3f, \"rank_ns\": %.3f, \"barrier_ns\": %.2f, "
        "\"allreduce_ns\": %.2f, \"rss_before_kib\": %ld, \"rss_bound_kib\": %ld, \"rss_init_kib\": %ld}\n",
        library, start.bind_ms, start.init_ms, rank_ns, barrier_ns, allreduce_ns, start.rss_before_kib,
        start.rss_bound_kib, start.rss_init_kib);
  MPI_Finalize();
  return 0;
}
