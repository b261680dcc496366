/* SPDX-License-Identifier: BSD-3-Clause */
/* chain_loop.c - the floor: MPI_Comm_rank through a bare chain of shared objects, which no runtime can go below. */
/*
 * chain_loop FOLDER KIND LINKS [BLOCKS [CALLS]] opens FOLDER/link_KIND<0…LINKS-1>.so and prints one line of JSON.
 * As in rank_loop, BLOCKS 0 and the function rank_calls are for counting instructions.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

typedef int Rank(MPI_Comm, int *);

static Rank *top = PMPI_Comm_rank;

__attribute__((noinline)) void rank_calls(long calls) {
  int rank;
  Rank *const entry = top;
  for (long i = 0; i < calls; ++i) entry(MPI_COMM_WORLD, &rank);
}

static void add_link(const char *folder, const char *kind, int number) {
  char path[4096];
  snprintf(path, sizeof path, "%s/link_%s%d.so", folder, kind, number);
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (object == NULL) {
    fprintf(stderr, "chain_loop: %s\n", dlerror());
    exit(1);
  }
  void (*set_next)(Rank *) = (void (*)(Rank *))dlsym(object, "chain_set_next");
  set_next(top);
  top = (Rank *)dlsym(object, "chain_rank");
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: chain_loop FOLDER KIND LINKS [BLOCKS [CALLS]]\n");
    return 2;
  }
  const long blocks = argc > 4 ? atol(argv[4]) : 200;
  const long calls = argc > 5 ? atol(argv[5]) : 20000;
  for (int i = 0; i < atoi(argv[3]); ++i) add_link(argv[1], argv[2], i);
  MPI_Init(&argc, &argv);
  if (blocks == 0) run_counted(rank_calls, calls);
  printf("{\"rank_ns\": %.3f}\n", fastest(rank_calls, blocks, calls));
  MPI_Finalize();
  return 0;
}
