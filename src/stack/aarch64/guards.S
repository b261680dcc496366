/* SPDX-License-Identifier: BSD-3-Clause */
/* guards.S - entries that send a call to one of two places, by where it comes from. */
/*
 * guards.hpp says what for and declares the table. A guard touches no argument: the return address is in x30, and x16 and
 * x17 are the registers that a procedure linkage table may use; x9 and x10 are scratch at any call.
 */

#include "stack/guards.hpp"

    .data
    .balign 64
    .globl cairn_guard_table
    .hidden cairn_guard_table
cairn_guard_table:
    .zero CAIRN_GUARDS * CAIRN_GUARD_SIZE

    .text
    .balign 16
    .globl cairn_guard_entries
    .hidden cairn_guard_entries
cairn_guard_entries:
    .set index, 0
    .rept CAIRN_GUARDS
    .balign 16
    adrp x16, cairn_guard_table + index * CAIRN_GUARD_SIZE
    add x16, x16, :lo12:cairn_guard_table + index * CAIRN_GUARD_SIZE
    b guard
    .set index, index + 1
    .endr

    .balign 16
    .type guard, %function
guard:
    .cfi_startproc
    .set range, 0
    .rept CAIRN_GUARD_RANGES
    ldp x9, x10, [x16, #(CAIRN_GUARD_RANGE_0 + 16 * range)]
    sub x17, x30, x9
    cmp x17, x10
    b.lo 1f
    .set range, range + 1
    .endr
    ldp x9, x10, [x16, #CAIRN_GUARD_OBJECT]
    sub x17, x30, x9
    cmp x17, x10
    b.hs 1f
    ldr x17, [x16, #CAIRN_GUARD_ITSELF]
    br x17
1:  ldr x17, [x16, #CAIRN_GUARD_PROGRAM]
    br x17
    .cfi_endproc
    .size guard, . - guard

    .section .note.GNU-stack, "", %progbits
