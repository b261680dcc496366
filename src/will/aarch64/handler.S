/* SPDX-License-Identifier: BSD-3-Clause */
/* handler.S - a signal handler that does something and goes on as the program's own, which then has no frame of ours above it. */
/* dispositions.cc says what is done; a stack trace that the program's handler shows is the one it would have shown. */

    .text
    .balign 16
    .globl cairn_handler_entry
    .hidden cairn_handler_entry
    .type cairn_handler_entry, %function
cairn_handler_entry:
    .cfi_startproc
    stp x29, x30, [sp, #-48]!
    .cfi_adjust_cfa_offset 48
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    stp x0, x1, [sp, #16]
    str x2, [sp, #32]
    bl cairn_prepare_handler
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldr x2, [sp, #32]
    ldp x29, x30, [sp], #48
    .cfi_restore x29
    .cfi_restore x30
    .cfi_adjust_cfa_offset -48
    br x16
    .cfi_endproc
    .size cairn_handler_entry, . - cairn_handler_entry

    .section .note.GNU-stack, "", %progbits
