/* SPDX-License-Identifier: BSD-3-Clause */
/* pcontrol.S - hears of a call of MPI_Pcontrol and lets it go on with all its arguments, whatever they are. */
/*
 * switching.cc says what is done with it. Every register that may hold an argument is kept; arguments on the stack stay
 * where they are, as the call goes on by a jump.
 */

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
    stp x29, x30, [sp, #-224]!
    .cfi_adjust_cfa_offset 224
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    bl cairn_pcontrol_heard
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    .cfi_adjust_cfa_offset -224
    .cfi_restore x29
    .cfi_restore x30
    adrp x16, cairn_pcontrol_next
    ldr x16, [x16, :lo12:cairn_pcontrol_next]
    br x16
    .cfi_endproc
    .size cairn_pcontrol_entry, . - cairn_pcontrol_entry

    .section .note.GNU-stack, "", %progbits
