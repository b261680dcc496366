// SPDX-License-Identifier: BSD-3-Clause
// counter.c - a tool that counts calls and passes them on, the simplest there is; other situations build it too.

#ifndef TOOL
#define TOOL "counter"
#endif
#include "counts.h"

FUNCTIONS(COUNTING_WRAPPER)
REPORTING_FINALIZE
