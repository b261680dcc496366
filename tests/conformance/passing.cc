// SPDX-License-Identifier: BSD-3-Clause
// passing.cc - a layer that passes every function on and counts its calls, MPI_Pcontrol with whatever arguments it has

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "counts.hpp"

template <cairn::Function F>
struct Handler {
  template <class Down, class Arguments>
  static auto call(Down down, const Arguments&) {
    count(F);
    return down();
  }
};

#include "wrap_all.hpp"

// MPI_Pcontrol: count, then jump, with registers and stack as they came.
#if defined(__x86_64__)
__asm__(
    ".pushsection .text\n"
    ".globl MPI_Pcontrol\n"
    ".type MPI_Pcontrol, @function\n"
    "MPI_Pcontrol:\n"
    "  lock incq conformance_pcontrol_calls(%rip)\n"
    "  jmp *PMPI_Pcontrol@GOTPCREL(%rip)\n"
    ".size MPI_Pcontrol, .-MPI_Pcontrol\n"
    ".popsection\n");
#elif defined(__aarch64__)
__asm__(
    ".pushsection .text\n"
    ".globl MPI_Pcontrol\n"
    ".type MPI_Pcontrol, %function\n"
    "MPI_Pcontrol:\n"
    "  adrp x16, conformance_pcontrol_calls\n"
    "  add x16, x16, :lo12:conformance_pcontrol_calls\n"
    "1: ldxr x17, [x16]\n"
    "  add x17, x17, 1\n"
    "  stxr w15, x17, [x16]\n"
    "  cbnz w15, 1b\n"
    "  adrp x16, :got:PMPI_Pcontrol\n"
    "  ldr x16, [x16, :got_lo12:PMPI_Pcontrol]\n"
    "  br x16\n"
    ".size MPI_Pcontrol, .-MPI_Pcontrol\n"
    ".popsection\n");
#else
#error "MPI_Pcontrol: no code for this processor"
#endif
