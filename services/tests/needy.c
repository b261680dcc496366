// SPDX-License-Identifier: BSD-3-Clause
// needy.c - a tool over the plain C interface that needs (NEEDS), looks for (FIND, VERSION) or offers (OFFER, VERSION,
// TIMES) a service

#include <stdio.h>

#include "cairn/tool.h"

#ifdef NEEDS
const char cairn_tool_about[] = "abi 2\nsummary needs a service\nneeds " NEEDS "\nwraps MPI_Init\n";
#else
const char cairn_tool_about[] = "abi 2\nsummary has to do with services\nwraps MPI_Init\n";
#endif

static const int answer = 42;

int cairn_tool_start(const struct cairn_tool_instance *self) {
#ifdef OFFER
  for (int i = 0; i < TIMES; ++i)
    if (self->publish(self, OFFER, VERSION, &answer) != 0) return 1;
#endif
#ifdef FIND
  const int *found = self->find(self, FIND, VERSION);
  fprintf(stderr, "found %d\n", found == NULL ? 0 : *found);
#endif
  (void)self;
  (void)answer;
  return 0;
}
