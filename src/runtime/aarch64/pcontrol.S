/* SPDX-License-Identifier: BSD-3-Clause */
/* pcontrol.S - hears of a call of MPI_Pcontrol and lets it go on, where cairn_pcontrol_heard says, with all its arguments. */
/*
 * switching.cc says what is done with it. Every register that may hold an argument is kept; arguments on the stack stay
 * where they are, as the call goes on by a jump.
 */

#include "base/aarch64/argument_registers.inc"

    .data
    .balign 8
    .globl cairn_pcontrol_next
    .hidden cairn_pcontrol_next
cairn_pcontrol_next:
    .quad 0

    .text
    .balign 16
    .globl cairn_pcontrol_entry
    .hidden cairn_pcontrol_entry
    .type cairn_pcontrol_entry, %function
cairn_pcontrol_entry:
    .cfi_startproc
    keep_argument_registers
    bl cairn_pcontrol_heard
    mov x16, x0
    take_argument_registers_back
    br x16
    .cfi_endproc
    .size cairn_pcontrol_entry, . - cairn_pcontrol_entry

    .section .note.GNU-stack, "", %progbits
