/* SPDX-License-Identifier: BSD-3-Clause */
/* stubs.S - one jump per MPI function through its slot, and the way into the binder for slots not yet filled. */
/*
 * A stub uses x16 and x17 alone, which the procedure call standard leaves to such code, so it needs neither a signature nor
 * an mpi.h. The slots form an array in the order of names.inc; slot i first leads to lazy entry i, which passes i in x17 to
 * cairn_bind and goes on where that says. The link register stays the caller's throughout. There are no landing pads for
 * branch target identification: they would be a fourth instruction, and the object does not claim to have them.
 */

#include "base/aarch64/argument_registers.inc"

    .set RTLD_DEEPBIND_BIT, 3 /* of dlfcn.h, which is C */

    .set index, 0

.macro jump_through slot
    adrp x16, \slot
    ldr x16, [x16, :lo12:\slot]
    br x16
.endm

.macro stub name
    .text
    .balign 4
    .globl \name
    .type \name, %function
\name:
stub_\name:
    jump_through slot_\name
    .size \name, . - \name

    .section .text.cairn_lazy, "ax", %progbits
lazy_\name:
    mov w17, #index
    b cairn_bind_entry

    .section .data.cairn_slots, "aw", %progbits
slot_\name:
    .quad lazy_\name

    .section .data.rel.ro.cairn_stubs, "aw", %progbits
    .quad stub_\name
    .set index, index + 1
.endm

    .section .data.cairn_slots, "aw", %progbits
    .balign 64
    .globl cairn_slots
    .hidden cairn_slots
cairn_slots:

    .section .data.rel.ro.cairn_stubs, "aw", %progbits
    .balign 64
    .globl cairn_stubs
    .hidden cairn_stubs
cairn_stubs:

    .section .text.cairn_lazy, "ax", %progbits
    .balign 4
    .globl cairn_lazy_begin
    .hidden cairn_lazy_begin
cairn_lazy_begin:

#define CAIRN_NAME(name) stub name
#include "generated/names.inc"

/*
 * Fortran glue calls PMPI_X, so the first call of a Fortran program may be none of MPI_X. These are the calls that may come
 * first; their indices are counted on from those of MPI_X (binder.cc: shifted_names, in the same order).
 */
#define CAIRN_SHIFTED_NAME(name) stub name
#include "contracts/shifted_names.inc"

/* QMPI's own functions lead to the stack too, or where there is none to an MPI library that has them. */
#define CAIRN_QMPI_NAME(name) stub name
#include "contracts/qmpi_names.inc"

    .section .text.cairn_lazy, "ax", %progbits
    .globl cairn_lazy_end
    .hidden cairn_lazy_end
cairn_lazy_end:

/* On entry: the function's index in x17, every other register as the program left it. */
    .text
    .balign 4
    .type cairn_bind_entry, %function
cairn_bind_entry:
    .cfi_startproc
    keep_argument_registers
    mov x0, x17
    mov x1, x30
    bl cairn_bind
    mov x16, x0
    take_argument_registers_back
    br x16
    .cfi_endproc
    .size cairn_bind_entry, . - cairn_bind_entry

/*
 * dlopen and dlsym find out who calls them from the link register, so both are entered by a jump: the C library sees the
 * program's own call. Only a question for a name that starts like an MPI name is looked at (see binder.cc).
 */
    .balign 4
    .globl dlopen
    .type dlopen, %function
dlopen:
    jump_through cairn_dlopen_slot
    .size dlopen, . - dlopen

.macro keep_two_arguments
    stp x29, x30, [sp, #-32]!
    .cfi_adjust_cfa_offset 32
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    stp x0, x1, [sp, #16]
.endm

.macro take_two_arguments_back
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_adjust_cfa_offset -32
    .cfi_restore x29
    .cfi_restore x30
.endm

    .balign 4
    .globl dlsym
    .type dlsym, %function
dlsym:
    .cfi_startproc
    ldrb w16, [x1]
    cmp w16, #'M'
    b.eq 1f
    cmp w16, #'P'
    b.eq 1f
0:  jump_through cairn_dlsym_slot
1:  keep_two_arguments
    mov x2, x30
    bl cairn_dlsym_answer
    mov x16, x0
    take_two_arguments_back
    cbz x16, 0b
    cmp x16, #1
    csel x0, xzr, x16, eq
    ret
    .cfi_endproc
    .size dlsym, . - dlsym

/* The first call of either finds both, and goes on. */
.macro lazy_dl_function name
    .type lazy_\name, %function
lazy_\name:
    .cfi_startproc
    keep_two_arguments
    bl cairn_find_dl_functions
    take_two_arguments_back
    jump_through cairn_\name\()_slot
    .cfi_endproc
    .size lazy_\name, . - lazy_\name
.endm

    lazy_dl_function dlopen
    lazy_dl_function dlsym

/* dlopen from then on, until the stack has its own entry or it is clear that there will be none. */
    .globl cairn_dlopen_unbound
    .hidden cairn_dlopen_unbound
    .type cairn_dlopen_unbound, %function
cairn_dlopen_unbound:
    tbz w1, #RTLD_DEEPBIND_BIT, 1f
    b cairn_open_deep
1:  jump_through cairn_real_dlopen
    .size cairn_dlopen_unbound, . - cairn_dlopen_unbound

    .data
    .balign 8
    .globl cairn_dlopen_slot
    .hidden cairn_dlopen_slot
cairn_dlopen_slot:
    .quad lazy_dlopen
    .globl cairn_dlsym_slot
    .hidden cairn_dlsym_slot
cairn_dlsym_slot:
    .quad lazy_dlsym

    .section .note.GNU-stack, "", %progbits
