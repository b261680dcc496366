// SPDX-License-Identifier: BSD-3-Clause
// switcher.c - a PMPI tool whose own thread takes it out of the stack and puts it back, many times while the program
// calls.

#include <cairn/tool.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SWITCHES = 1000 };

static const struct cairn_tool_instance *self;
static pthread_t thread;
static atomic_long ranks;
static atomic_int switched;

int cairn_tool_start(const struct cairn_tool_instance *instance) {
  self = instance;
  return 0;
}

static void *keep_switching(void *unused) {
  for (int i = 0; i < SWITCHES; ++i) {
    self->set_active(self, i % 2);
    atomic_fetch_add(&switched, 1);
  }
  self->set_active(self, 1);
  return unused;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  pthread_create(&thread, NULL, keep_switching, NULL);
  return result;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  atomic_fetch_add(&ranks, 1);
  return PMPI_Comm_rank(comm, rank);
}

__attribute__((destructor)) static void tell(void) {
  pthread_join(thread, NULL);
  fprintf(stderr, "switcher: %ld calls, %d switches\n", atomic_load(&ranks), atomic_load(&switched));
}
