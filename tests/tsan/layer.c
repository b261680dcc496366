// SPDX-License-Identifier: BSD-3-Clause
// layer.c - a PMPI tool that counts, and does what the test program bids it do as a tool.

#include <mpi.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "layer.h"

static atomic_long calls[wrapped_count];

static void count(enum wrapped function) { atomic_fetch_add_explicit(&calls[function], 1, memory_order_relaxed); }

int MPI_Barrier(MPI_Comm comm) {
  count(wrapped_barrier);
  return PMPI_Barrier(comm);
}

// By name in one build of the tool, by a table in the other.
#ifdef BY_TABLE
typedef int bcast_function(void *, int, MPI_Datatype, int, MPI_Comm);
static bcast_function table_bcast;
static struct cairn_tool_function table[] = {{"MPI_Bcast", (void *)table_bcast, NULL}};
#define BCAST static int table_bcast
#define NEXT_BCAST ((bcast_function *)__atomic_load_n(&table[0].next, __ATOMIC_RELAXED))
#define GIVE_TABLE(self) self->intercept(self, table, 1)
#else
#define BCAST int MPI_Bcast
#define NEXT_BCAST PMPI_Bcast
#define GIVE_TABLE(self) 0
#endif

BCAST(void *buffer, int length, MPI_Datatype type, int root, MPI_Comm comm) {
  count(wrapped_bcast);
  return NEXT_BCAST(buffer, length, type, root, comm);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  count(wrapped_rank);
  return PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  count(wrapped_size);
  return PMPI_Comm_size(comm, size);
}

int MPI_Allreduce(const void *in, void *out, int length, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count(wrapped_reduce);
  return PMPI_Allreduce(in, out, length, type, op, comm);
}

static long calls_of(enum wrapped function) { return atomic_load(&calls[function]); }

static void *ask(void *handle, const char *name) {
  void *const answer = ask_dlsym(handle, name);
  __asm__ volatile("" ::: "memory");  // no jump in place of the call: the return address says who asks
  return answer;
}

static int use_part(const char *path) {
  void *const part = dlopen_target()(path, RTLD_LAZY | RTLD_LOCAL);
  if (part == NULL) return 1;
  int (*ask_size_twice)(void);
  *(void **)&ask_size_twice = dlsym(part, "ask_size_twice");
  const int wrong = ask_size_twice();
  return dlclose(part) != 0 || wrong;
}

int cairn_tool_start(const struct cairn_tool_instance *self) {
  static struct layer layer = {NULL, MPI_Barrier, calls_of, ask, use_part};
  layer.self = self;
  add_layer(&layer);
  return GIVE_TABLE(self);
}
