/* SPDX-License-Identifier: BSD-3-Clause */
/* empty.c - a PMPI tool that wraps every function of its MPI and does nothing; three kinds, chosen by a definition. */
/*
 *   CAIRN_FRAME     calls down and returns afterwards: a stack frame and one indirect call (built with -fno-plt)
 *   CAIRN_TAIL      leaves by a jump: the least that a wrapper can be (built with -fno-plt)
 *   CAIRN_COUNTING  adds to a counter, then as CAIRN_FRAME but through a PLT, as compilers do unless told otherwise
 *
 * An empty `asm volatile` behind the call keeps the compiler from making a jump of it. MPI_Pcontrol, whose further
 * arguments nobody knows, is not wrapped.
 */
#include <mpi.h>

#ifdef CAIRN_COUNTING
__attribute__((visibility("hidden"))) unsigned long calls;
#define CAIRN_BEFORE ++calls;
#else
#define CAIRN_BEFORE
#endif

#ifdef CAIRN_TAIL
#define CAIRN_BODY(result, call) return call;
#else
#define CAIRN_BODY(result, call) \
  CAIRN_BEFORE                   \
  result from_below = call;      \
  __asm__ volatile("");          \
  return from_below;
#endif

/* By assembler name: some mpi.h turn MPI names into macros. */
#define CAIRN_VARIADIC_FUNCTION(name, result, parameters, arguments, category, roles)
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) \
  extern result down_##name parameters __asm__("P" #name);                   \
  extern result wrap_##name parameters __asm__(#name);                       \
  result wrap_##name parameters { CAIRN_BODY(result, down_##name arguments) }
#include CAIRN_FUNCTIONS
