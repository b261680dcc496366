/* SPDX-License-Identifier: BSD-3-Clause */
/* pcontrol.S - hears of a call of MPI_Pcontrol and lets it go on with all its arguments, whatever they are. */
/*
 * switching.cc says what is done with it. Every register that may hold an argument is kept, %al with the number of vector
 * registers among them; arguments on the stack stay where they are, as the call goes on by a jump.
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
    .type cairn_pcontrol_entry, @function
cairn_pcontrol_entry:
    .cfi_startproc
    .irp register, rax, rdi, rsi, rdx, rcx, r8, r9
    pushq %\register
    .cfi_adjust_cfa_offset 8
    .endr
    subq $128, %rsp
    .cfi_adjust_cfa_offset 128
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movups %xmm\number, 16 * \number(%rsp)
    .endr
    call cairn_pcontrol_heard
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movups 16 * \number(%rsp), %xmm\number
    .endr
    addq $128, %rsp
    .cfi_adjust_cfa_offset -128
    .irp register, r9, r8, rcx, rdx, rsi, rdi, rax
    popq %\register
    .cfi_adjust_cfa_offset -8
    .endr
    jmp *cairn_pcontrol_next(%rip)
    .cfi_endproc
    .size cairn_pcontrol_entry, . - cairn_pcontrol_entry

    .section .note.GNU-stack, "", @progbits
