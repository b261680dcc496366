/* SPDX-License-Identifier: BSD-3-Clause */
/* noting.S - what noting.hpp describes: one entry per function, 16 bytes each, in the order of names.inc. */

    .text
    .balign 16
    .globl cairn_noting_entries
    .hidden cairn_noting_entries
cairn_noting_entries:
    .set index, 0
.macro entry name
    .balign 16
    movl $index, %r11d
    jmp noting
    .set index, index + 1
.endm
#define CAIRN_NAME(name) entry name
#include "generated/names.inc"

/* No argument is touched; r10 and r11 are nobody's in a call of C. */
    .balign 16
    .type noting, @function
noting:
    .cfi_startproc
    movq cairn_noted_place(%rip), %r10
    addq %fs:0, %r10
    popq (%r10)
    .cfi_adjust_cfa_offset -8
    pushq (%r10)
    .cfi_adjust_cfa_offset 8
    movq %r11, 8(%r10)
    leaq cairn_noted_next(%rip), %r10
    jmp *(%r10, %r11, 8)
    .cfi_endproc
    .size noting, . - noting

    .bss
    .balign 8
    .globl cairn_noted_next
    .hidden cairn_noted_next
cairn_noted_next:
    .skip 8 * index
    .globl cairn_noted_place
    .hidden cairn_noted_place
cairn_noted_place:
    .skip 8

    .section .note.GNU-stack, "", @progbits
