/* SPDX-License-Identifier: BSD-3-Clause */
/* new_stack.S - XMPI_X_NewStack and PMPI_X_NewStack: ask cairn_new_stack_target where the call is to go (functions.cc). */

    .text
/* XMPI_X itself is what lies below a layer, to which its imports lead: these are names alone. */
unlinked:
    brk #0

    .set index, 0
.macro entry name
    .set X\name, unlinked
    .globl X\name
    .type X\name, %function
    .balign 8
    .globl X\name\()_NewStack
    .type X\name\()_NewStack, %function
X\name\()_NewStack:
    .globl P\name\()_NewStack
    .type P\name\()_NewStack, %function
P\name\()_NewStack:
    mov w17, #index
    b new_stack
    .set index, index + 1
.endm
#define CAIRN_NAME(name) entry name
#include "generated/names.inc"

/*
 * Arguments of MPI functions are integers and pointers, 14 at most with the handle. So each moves up by one: the first of
 * those on the stack into the last register, the others are copied; that there may be fewer does no harm. The result, an
 * integer or MPI_Wtime's double, stays where it is.
 */
    .balign 16
    .type new_stack, %function
new_stack:
    .cfi_startproc
    stp x29, x30, [sp, #-80]!
    .cfi_def_cfa_offset 80
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    .cfi_def_cfa_register x29
    stp x1, x2, [sp, #16]
    stp x3, x4, [sp, #32]
    stp x5, x6, [sp, #48]
    str x7, [sp, #64]
    mov w1, w17
    mov x2, x30
    bl cairn_new_stack_target
    mov x16, x0
    ldp x9, x10, [x29, #88]
    ldp x11, x12, [x29, #104]
    ldp x13, x14, [x29, #120]
    sub sp, sp, #48
    stp x9, x10, [sp]
    stp x11, x12, [sp, #16]
    stp x13, x14, [sp, #32]
    ldp x0, x1, [x29, #16]
    ldp x2, x3, [x29, #32]
    ldp x4, x5, [x29, #48]
    ldr x6, [x29, #64]
    ldr x7, [x29, #80]
    blr x16
    mov sp, x29
    ldp x29, x30, [sp], #80
    .cfi_def_cfa sp, 0
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size new_stack, . - new_stack

    .section .note.GNU-stack, "", %progbits
