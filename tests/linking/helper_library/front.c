// SPDX-License-Identifier: BSD-3-Clause
// front.c - the module: its wrappers only call into the helper library; built under several names.

#include "back.h"

#define FRONT(name, parameters, arguments) \
  int MPI_##name parameters { return back_##name arguments; }
FUNCTIONS(FRONT)

int MPI_Finalize(void) { return back_Finalize(TOOL); }
