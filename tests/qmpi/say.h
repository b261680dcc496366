/* SPDX-License-Identifier: BSD-3-Clause */
/* say.h - a line of a tool on standard output, in one piece, if this is rank 0 or no rank at all */
#ifndef SAY_H
#define SAY_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2), unused)) static void say(const char *format, ...) {
  char line[512];
  va_list arguments;
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  if (rank != NULL && atoi(rank) != 0) return;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (write(1, line, (size_t)length) < 0) return;
}

#endif
