/* SPDX-License-Identifier: BSD-3-Clause */
/* handler.S - a signal handler that does something and goes on as the program's own, which then has no frame of ours above it. */
/* dispositions.cc says what is done; a stack trace that the program's handler shows is the one it would have shown. */

    .text
    .balign 16
    .globl cairn_handler_entry
    .hidden cairn_handler_entry
    .type cairn_handler_entry, @function
cairn_handler_entry:
    .cfi_startproc
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    call cairn_prepare_handler
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp *%rax
    .cfi_endproc
    .size cairn_handler_entry, . - cairn_handler_entry

    .section .note.GNU-stack, "", @progbits
