/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers.c - a tool that stands for a library's memory for messages: buffers_memory is a megabyte, and 16 KiB for each of the
 * most MPI_Isends that were ever under way until an MPI_Waitall.
 */

#include <cairn/variables.h>
#include <mpi.h>

const char cairn_tool_about[] = "abi 2\nsummary a variable that differs from rank to rank\n";

static unsigned long under_way, most;

static int read_memory(void *bound, void *value) {
  (void)bound;
  return *(unsigned long *)value = 1000000 + most * 16384, CAIRN_DONE;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  if (++under_way > most) most = under_way;
  return PMPI_Isend(from, count, type, to, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  under_way = 0;
  return PMPI_Waitall(count, requests, statuses);
}

int cairn_tool_start(const struct cairn_tool_instance *self) {
  const struct cairn_variables *variables = self->find(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION);
  const struct cairn_variable memory = {
      .name = "memory", .variable_class = CAIRN_LEVEL, .type = CAIRN_UNSIGNED_LONG, .read = read_memory};
  if (variables == NULL) return 1;
  variables->add_performance(self, &memory);
  return 0;
}
