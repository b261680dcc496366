/* SPDX-License-Identifier: BSD-3-Clause */
/* new_stack.S - XMPI_X_NewStack and PMPI_X_NewStack: ask cairn_new_stack_target where the call is to go (functions.cc). */

    .text
/* XMPI_X itself is what lies below a layer, to which its imports lead: these are names alone. */
unlinked:
    ud2

    .set index, 0
.macro entry name
    .set X\name, unlinked
    .globl X\name
    .type X\name, @function
    .balign 8
    .globl X\name\()_NewStack
    .type X\name\()_NewStack, @function
X\name\()_NewStack:
    .globl P\name\()_NewStack
    .type P\name\()_NewStack, @function
P\name\()_NewStack:
    movl $index, %r11d
    jmp new_stack
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
    .type new_stack, @function
new_stack:
    .cfi_startproc
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    movq %rsp, %rbp
    .cfi_def_cfa_register rbp
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    subq $8, %rsp
    movl %r11d, %esi
    movq 8(%rbp), %rdx
    call cairn_new_stack_target
    movq %rax, %r11
    .set word, 10
    .rept 10
    .set word, word - 1
    pushq 24 + 8 * word(%rbp)
    .endr
    movq -8(%rbp), %rdi
    movq -16(%rbp), %rsi
    movq -24(%rbp), %rdx
    movq -32(%rbp), %rcx
    movq -40(%rbp), %r8
    movq 16(%rbp), %r9
    xorl %eax, %eax
    call *%r11
    leave
    .cfi_def_cfa rsp, 8
    ret
    .cfi_endproc
    .size new_stack, . - new_stack

    .section .note.GNU-stack, "", @progbits
