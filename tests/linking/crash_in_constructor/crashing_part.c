// SPDX-License-Identifier: BSD-3-Clause
// crashing_part.c - a library whose constructor writes to address 0.

#include <stddef.h>

int crashing_part(void);
int crashing_part(void) { return 0; }

static int *volatile nowhere = NULL;
__attribute__((constructor)) static void construct(void) { *nowhere = 1; }
