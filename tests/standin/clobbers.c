// SPDX-License-Identifier: BSD-3-Clause
// clobbers.c - a tool whose constructor crashes with other values in all registers that it should have given back.

#include <mpi.h>

#include <stddef.h>

static int *volatile nowhere = NULL;

__attribute__((constructor)) static void construct(void) {
#if defined(__x86_64__)
  __asm__ volatile("xor %%ebx, %%ebx; xor %%r12d, %%r12d; xor %%r13d, %%r13d; xor %%r14d, %%r14d; xor %%r15d, %%r15d" ::
                       : "rbx", "r12", "r13", "r14", "r15");
#elif defined(__aarch64__)
  __asm__ volatile(
      "mov x19, 0; mov x20, 0; mov x21, 0; mov x22, 0; mov x23, 0; mov x24, 0; mov x25, 0; mov x26, 0; mov x27, 0; mov "
      "x28, 0;"
      "fmov d8, xzr; fmov d9, xzr; fmov d10, xzr; fmov d11, xzr; fmov d12, xzr; fmov d13, xzr; fmov d14, xzr; fmov "
      "d15, xzr"
      :
      :
      : "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "d8", "d9", "d10", "d11", "d12", "d13",
        "d14", "d15");
#endif
  *nowhere = 1;
}

int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }
