// SPDX-License-Identifier: BSD-3-Clause
// pcontrol.c - a tool that knows what arguments this program gives MPI_Pcontrol and passes on all of them.

#include <mpi.h>

#include <stdarg.h>
#include <stdio.h>

int MPI_Pcontrol(const int level, ...) {
  int numbers[10];
  double weights[10];
  va_list values;
  if (level != 3) return PMPI_Pcontrol(level);
  va_start(values, level);
  const int count = va_arg(values, int);
  for (int i = 0; i < 10; ++i) {
    numbers[i] = va_arg(values, int);
    weights[i] = va_arg(values, double);
  }
  const char *text = va_arg(values, const char *);
  va_end(values);
  fprintf(stderr, "pcontrol sees level %d, %d pairs and '%s'\n", level, count, text);
#define PAIR(i) numbers[i], weights[i]
  return PMPI_Pcontrol(level, count, PAIR(0), PAIR(1), PAIR(2), PAIR(3), PAIR(4), PAIR(5), PAIR(6), PAIR(7), PAIR(8),
                       PAIR(9), text);
}
