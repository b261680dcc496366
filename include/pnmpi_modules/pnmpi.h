/* SPDX-License-Identifier: BSD-3-Clause */
/* pnmpi.h - for programs: MPI_Pcontrol to chosen modules, under `globalpcontrol pnmpi` or `mixed`. */
/*
 *   MPI_Pcontrol(PNMPI_PCONTROL_LEVEL, level, type, module, bytes, ...)
 *
 * calls MPI_Pcontrol(level, ...) of one module. `type` is a sum: with PNMPI_PCONTROL_MULTIPLE, `int count, int *modules`
 * stand in place of `int module`; with PNMPI_PCONTROL_PTR, one pointer to the arguments in place of "...". `bytes` is
 * their size, 8 for each, 256 at most: integers and pointers, or up to eight doubles.
 */
#ifndef PNMPI_H
#define PNMPI_H

#define PNMPI_PCONTROL_LEVEL 3

#define PNMPI_PCONTROL_SINGLE 0x0
#define PNMPI_PCONTROL_MULTIPLE 0x1
#define PNMPI_PCONTROL_VARG 0x0
#define PNMPI_PCONTROL_PTR 0x2

#define PNMPI_ERROR -1 /* the result if a module does not exist, or the arguments are too many */

#endif
