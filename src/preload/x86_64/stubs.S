/* SPDX-License-Identifier: BSD-3-Clause */
/* stubs.S - one jump per MPI function through its slot, and the way into the binder for slots not yet filled. */
/*
 * A stub touches no argument and no register, so it needs neither a signature nor an mpi.h. The slots form an array in
 * the order of names.inc; slot i first leads to lazy entry i, which passes i to cairn_bind and goes on where that says.
 */

#include "base/x86_64/argument_registers.inc"

    .set RTLD_DEEPBIND, 8 /* of dlfcn.h, which is C */

    .set index, 0

.macro stub name
    .text
    .balign 8
    .globl \name
    .type \name, @function
\name:
stub_\name:
    jmp *slot_\name(%rip)
    .size \name, . - \name

    .section .text.cairn_lazy, "ax", @progbits
lazy_\name:
    pushq $index
    jmp cairn_bind_entry

    .section .data.cairn_slots, "aw", @progbits
slot_\name:
    .quad lazy_\name

    .section .data.rel.ro.cairn_stubs, "aw", @progbits
    .quad stub_\name
    .set index, index + 1
.endm

    .section .data.cairn_slots, "aw", @progbits
    .balign 64
    .globl cairn_slots
    .hidden cairn_slots
cairn_slots:

    .section .data.rel.ro.cairn_stubs, "aw", @progbits
    .balign 64
    .globl cairn_stubs
    .hidden cairn_stubs
cairn_stubs:

    .section .text.cairn_lazy, "ax", @progbits
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

    .section .text.cairn_lazy, "ax", @progbits
    .globl cairn_lazy_end
    .hidden cairn_lazy_end
cairn_lazy_end:

/* On entry: the function's index, the caller's return address, every argument register as the program left it. */
    .text
    .type cairn_bind_entry, @function
cairn_bind_entry:
    .cfi_startproc
    .cfi_adjust_cfa_offset 8
    keep_argument_registers 8
    movq 192(%rsp), %rdi
    movq 200(%rsp), %rsi
    call cairn_bind
    movq %rax, %r11
    take_argument_registers_back 8
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    jmp *%r11
    .cfi_endproc
    .size cairn_bind_entry, . - cairn_bind_entry

/*
 * dlopen and dlsym find out who calls them from the return address, so both are entered by a jump: the C library sees
 * the program's own call. Only a question for a name that starts like an MPI name is looked at (see binder.cc).
 */
    .balign 8
    .globl dlopen
    .type dlopen, @function
dlopen:
    jmp *cairn_dlopen_slot(%rip)
    .size dlopen, . - dlopen

.macro keep_two_arguments
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
.endm

.macro take_two_arguments_back
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
.endm

    .balign 8
    .globl dlsym
    .type dlsym, @function
dlsym:
    .cfi_startproc
    cmpb $'M', (%rsi)
    je 1f
    cmpb $'P', (%rsi)
    je 1f
0:  jmp *cairn_dlsym_slot(%rip)
1:  keep_two_arguments
    movq 24(%rsp), %rdx
    call cairn_dlsym_answer
    take_two_arguments_back
    testq %rax, %rax
    je 0b
    cmpq $1, %rax
    jne 2f
    xorl %eax, %eax
2:  ret
    .cfi_endproc
    .size dlsym, . - dlsym

/* The first call of either finds both, and goes on. */
.macro lazy_dl_function name
    .type lazy_\name, @function
lazy_\name:
    .cfi_startproc
    keep_two_arguments
    call cairn_find_dl_functions
    take_two_arguments_back
    jmp *cairn_\name\()_slot(%rip)
    .cfi_endproc
    .size lazy_\name, . - lazy_\name
.endm

    lazy_dl_function dlopen
    lazy_dl_function dlsym

/* dlopen from then on, until the stack has its own entry or it is clear that there will be none. */
    .globl cairn_dlopen_unbound
    .hidden cairn_dlopen_unbound
    .type cairn_dlopen_unbound, @function
cairn_dlopen_unbound:
    testb $RTLD_DEEPBIND, %sil
    jne cairn_open_deep
    jmp *cairn_real_dlopen(%rip)
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

    .section .note.GNU-stack, "", @progbits
