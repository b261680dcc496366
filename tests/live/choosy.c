/* SPDX-License-Identifier: BSD-3-Clause */
/* choosy.c - a tool with variables that ranks take differently: rank 1 refuses `limit` above 10, where 13 was taken it
 * stays, and `steps` is what the program has come to. */

#include <cairn/variables.h>
#include <mpi.h>
#include <stdatomic.h>
#include <string.h>

const char cairn_tool_about[] = "abi 2\nsummary variables that ranks take differently\n";

static atomic_int limit = 5;
static atomic_int steps;

static int read_number(void *bound, void *value) {
  *(int *)value = atomic_load((atomic_int *)bound);
  return CAIRN_DONE;
}

static int write_limit(void *bound, const void *value) {
  int rank, wanted;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memcpy(&wanted, value, sizeof wanted);
  if (rank == 1 && wanted > 10) return CAIRN_REFUSED;
  if (rank == 0 && atomic_load((atomic_int *)bound) == 13) return CAIRN_NOT_NOW;
  atomic_store((atomic_int *)bound, wanted);
  return CAIRN_DONE;
}

static int write_nothing(void *bound, const void *value) {
  (void)bound;
  (void)value;
  return CAIRN_NOT_NOW;
}

int cairn_tool_start(const struct cairn_tool_instance *self) {
  const struct cairn_variables *const variables = self->find(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION);
  if (variables == NULL) return 1;
  const struct cairn_variable all[] = {{.name = "limit",
                                        .type = CAIRN_INT,
                                        .scope = CAIRN_SCOPE_ALL,
                                        .context = &limit,
                                        .read = read_number,
                                        .write = write_limit},
                                       {.name = "steps",
                                        .type = CAIRN_INT,
                                        .scope = CAIRN_SCOPE_LOCAL,
                                        .context = &steps,
                                        .read = read_number,
                                        .write = write_nothing}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) variables->add_control(self, &all[i]);
  return 0;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  atomic_fetch_add(&steps, 1);
  return PMPI_Bcast(buffer, count, type, root, comm);
}
