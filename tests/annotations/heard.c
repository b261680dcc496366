// SPDX-License-Identifier: BSD-3-Clause
// heard.c - a layer that says what MPI_Pcontrol is called with for regions.

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cairn/region.h"

int MPI_Pcontrol(const int level, ...) {
  va_list more;
  va_start(more, level);
  if (level == CAIRN_REGION_BEGIN || level == CAIRN_REGION_END) {
    const char *const name = va_arg(more, const char *);
    fprintf(stderr, "%s %s", level == CAIRN_REGION_BEGIN ? "begin" : "end", name);
    if (level == CAIRN_REGION_BEGIN && strcmp(name, "iteration") == 0) fprintf(stderr, " %ld", va_arg(more, long));
    fprintf(stderr, "\n");
  }
  va_end(more);
  return MPI_SUCCESS;
}
