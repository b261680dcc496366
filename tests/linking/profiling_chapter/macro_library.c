// SPDX-License-Identifier: BSD-3-Clause
// macro_library.c - an MPI library on a system without: compiled twice, for either name.

#ifndef PROFILELIB
#define FUNCTION(name) P##name
#else
#define FUNCTION(name) name
#endif
#include "own_library.h"
