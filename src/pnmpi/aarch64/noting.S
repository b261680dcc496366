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
    mov w17, #index
    b noting
    .set index, index + 1
.endm
#define CAIRN_NAME(name) entry name
#include "generated/names.inc"

/* No argument is touched; x9 to x17 are nobody's in a call of C. */
    .balign 16
    .type noting, %function
noting:
    .cfi_startproc
    adrp x16, cairn_noted_place
    ldr x16, [x16, :lo12:cairn_noted_place]
    mrs x9, tpidr_el0
    add x16, x16, x9
    uxtw x17, w17
    stp x30, x17, [x16]
    adrp x16, cairn_noted_next
    add x16, x16, :lo12:cairn_noted_next
    ldr x16, [x16, x17, lsl #3]
    br x16
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

    .section .note.GNU-stack, "", %progbits
