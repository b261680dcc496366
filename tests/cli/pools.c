/* SPDX-License-Identifier: BSD-3-Clause */
/* pools.c - a tool with a control variable of four elements, pools_kept, which are 16 at the start */

#include <cairn/variables.h>
#include <mpi.h>
#include <string.h>

const char cairn_tool_about[] = "abi 2\nsummary a control variable of four elements\n";

static int kept[4] = {16, 16, 16, 16};

static int read_kept(void *bound, void *value) {
  (void)bound;
  memcpy(value, kept, sizeof kept);
  return CAIRN_DONE;
}

static int write_kept(void *bound, const void *value) {
  (void)bound;
  memcpy(kept, value, sizeof kept);
  return CAIRN_DONE;
}

int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }

int cairn_tool_start(const struct cairn_tool_instance *self) {
  const struct cairn_variables *variables = self->find(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION);
  const struct cairn_variable one = {.name = "kept",
                                     .type = CAIRN_INT,
                                     .count = 4,
                                     .scope = CAIRN_SCOPE_LOCAL,
                                     .read = read_kept,
                                     .write = write_kept};
  if (variables == NULL) return 1;
  variables->add_control(self, &one);
  return 0;
}
