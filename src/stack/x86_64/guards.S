/* SPDX-License-Identifier: BSD-3-Clause */
/* guards.S - entries that send a call to one of two places, by where it comes from. */
/*
 * guards.hpp says what for and declares the table. A guard touches no argument: it reads the return address and uses the
 * two registers that a procedure linkage table may use.
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
    leaq cairn_guard_table + index * CAIRN_GUARD_SIZE(%rip), %r10
    jmp guard
    .set index, index + 1
    .endr

    .balign 16
    .type guard, @function
guard:
    .cfi_startproc
    .set range, 0
    .rept CAIRN_GUARD_RANGES
    movq (%rsp), %r11
    subq CAIRN_GUARD_RANGE_0 + 16 * range(%r10), %r11
    cmpq CAIRN_GUARD_RANGE_0 + 16 * range + 8(%r10), %r11
    jb 1f
    .set range, range + 1
    .endr
    movq (%rsp), %r11
    subq CAIRN_GUARD_OBJECT(%r10), %r11
    cmpq CAIRN_GUARD_OBJECT + 8(%r10), %r11
    jae 1f
    jmp *CAIRN_GUARD_ITSELF(%r10)
1:  jmp *CAIRN_GUARD_PROGRAM(%r10)
    .cfi_endproc
    .size guard, . - guard

    .section .note.GNU-stack, "", @progbits
