/* SPDX-License-Identifier: BSD-3-Clause */
/* mistakes.c - a tool that offers what cannot be offered. */

#include <cairn/variables.h>
#include <mpi.h>
#include <stdio.h>

static int nothing(void *bound, void *value) {
  (void)bound;
  (void)value;
  return CAIRN_DONE;
}

int cairn_tool_start(const struct cairn_tool_instance *self) {
  const struct cairn_variables *variables = self->find(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION);
  const struct cairn_enumeration none = {"none", 0, 0};
  const struct cairn_variable controls[] = {
      {.read = nothing},
      {.name = "blind"},
      {.name = "active", .read = nothing},
      {.name = "negative", .read = nothing, .count = -1},
      {.name = "odd_type", .read = nothing, .type = (enum cairn_type)77},
      {.name = "odd_binding", .read = nothing, .binding = (enum cairn_binding)77},
      {.name = "odd_scope", .read = nothing, .scope = (enum cairn_scope)77},
      {.name = "odd_verbosity", .read = nothing, .verbosity = (enum cairn_verbosity)77},
      {.name = "homeless", .read = nothing, .category = "nowhere"},
      {.name = "named_numbers", .read = nothing, .type = CAIRN_DOUBLE, .enumeration = &none},
      {.name = "unopened", .read = nothing, .binding = CAIRN_BIND_COMM},
      {.name = "session", .read = nothing, .binding = CAIRN_BIND_SESSION},
      {.name = "twice", .read = nothing},
      {.name = "twice", .read = nothing},
  };
  const struct cairn_variable performances[] = {
      {.name = "odd_class", .read = nothing, .variable_class = (enum cairn_class)77},
      {.name = "signed", .read = nothing, .type = CAIRN_INT, .variable_class = CAIRN_COUNTER},
      {.name = "twice", .read = nothing, .variable_class = CAIRN_GENERIC},
      {.name = "twice", .read = nothing, .variable_class = CAIRN_STATE}, /* another class: another variable */
      {.name = "twice", .read = nothing, .variable_class = CAIRN_GENERIC},
  };
  const struct cairn_category categories[] = {
      {"", 0, 0, 0}, {"lost", 0, "nowhere", 0}, {"again", 0, 0, 0}, {"again", 0, 0, 0}};
  int refused = 0;
  for (int i = 0; i < 14; ++i) refused += variables->add_control(self, &controls[i]) != 0;
  for (int i = 0; i < 5; ++i) refused += variables->add_performance(self, &performances[i]) != 0;
  for (int i = 0; i < 4; ++i) refused += variables->add_category(self, &categories[i]) != 0;
  fprintf(stderr, "refused %d of 23\n", refused);
  return 0;
}

int MPI_Finalize(void) { return PMPI_Finalize(); }
