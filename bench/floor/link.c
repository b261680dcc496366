/* SPDX-License-Identifier: BSD-3-Clause */
/* link.c - one link of the bare chain: a shared object whose one function calls that of the next, with nothing around.
 */
/* CAIRN_TAIL: it leaves by a jump instead of a call and a frame. */
#include <mpi.h>

typedef int Rank(MPI_Comm, int *);

static Rank *next;

void chain_set_next(Rank *function) { next = function; }

int chain_rank(MPI_Comm comm, int *rank) {
#ifdef CAIRN_TAIL
  return next(comm, rank);
#else
  const int result = next(comm, rank);
  __asm__ volatile("");
  return result;
#endif
}
