// SPDX-License-Identifier: BSD-3-Clause
// sleeper.c - a PMPI tool that takes itself out of the stack at its fifth MPI_Send, and counts what it saw; the end of
// MPI it sees all the same.

#include <cairn/tool.h>
#include <mpi.h>
#include <stdio.h>

static const struct cairn_tool_instance *self;
static int sends;
static int finals;

int cairn_tool_start(const struct cairn_tool_instance *instance) {
  self = instance;
  return 0;
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (++sends == 5) self->set_active(self, 0);
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Finalize(void) {
  ++finals;
  return PMPI_Finalize();
}

__attribute__((destructor)) static void tell(void) {
  fprintf(stderr, "sleeper %u: %d sends, %d finalize\n", self->instance, sends, finals);
}
