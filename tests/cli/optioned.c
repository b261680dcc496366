// SPDX-License-Identifier: BSD-3-Clause
// optioned.c - a tool with options, which it prints as they reached it, together with its place in the stack.

#include <mpi.h>

#include <stdio.h>

#include "cairn/tool.h"

const char cairn_tool_about[] =
    "abi 1\n"
    "summary prints its options\n"
    "option word none any text\n"
    "option whole 0 a whole number\n"
    "option real 0 a number\n"
    "option flag off on or off\n";

static char line[1024];

int cairn_tool_start(const struct cairn_tool_instance *self) {
  int length = snprintf(line, sizeof line, "optioned %u at %u:", self->instance, self->level);
  for (uint32_t i = 0; i < self->option_count; ++i)
    length += snprintf(line + length, sizeof line - (size_t)length, " %s=[%s]", self->options[i].name,
                       self->options[i].value);
  return 0;
}

int MPI_Init(int *argc, char ***argv) {
  fprintf(stderr, "%s\n", line);
  return PMPI_Init(argc, argv);
}
