// SPDX-License-Identifier: BSD-3-Clause
// listener.c - a module that says what it hears of MPI_Pcontrol and, as PnMPI has no way to do it, passes nothing on.

#include <mpi.h>
#include <pnmpi/debug_io.h>
#include <pnmpi/service.h>
#include <stdarg.h>
#include <stdio.h>

int MPI_Pcontrol(const int level, ...) {
  PNMPI_modHandle_t self;
  PNMPI_Service_GetModuleSelf(&self);
  va_list values;
  va_start(values, level);
  if (level == 4) {
    const char *const text = va_arg(values, const char *);
    PNMPI_Warning("%d: level 4 %s %.1f\n", self, text, va_arg(values, double));
  } else if (level == 20) {
    PNMPI_Warning("%d: level 20", self);
    for (int i = 0; i < 8; ++i) fprintf(stderr, " %ld", va_arg(values, long));
    fprintf(stderr, "\n");
  } else {
    PNMPI_Warning("%d: level %d\n", self, level);
  }
  va_end(values);
  return level == 21 ? 5 : MPI_SUCCESS;
}
