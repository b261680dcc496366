// SPDX-License-Identifier: BSD-3-Clause
// wrappers_test.cc - every line of the table that an MPI library serves can become a wrapper
//
// Compiled once per MPI by compare.py, which defines CAIRN_FUNCTIONS as the table filtered for that library. The
// wrappers get names of their own, as cairn's do: some MPI names are macros or removed from mpi.h, but every type a
// wrapper needs is there.

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) \
  extern "C" result down_##name parameters __asm__("P" #name);               \
  extern "C" result wrap_##name parameters __asm__(#name);                   \
  extern "C" result wrap_##name parameters { return down_##name arguments; }
#define CAIRN_VARIADIC_FUNCTION CAIRN_FUNCTION
#include CAIRN_FUNCTIONS
