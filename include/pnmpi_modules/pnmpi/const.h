/* SPDX-License-Identifier: BSD-3-Clause */
/* const.h - PNMPI_CONST, for pointers to what MPI only reads: mpi.h has had const there since MPI-3. */
#ifndef PNMPI_CONST_H
#define PNMPI_CONST_H

#include <mpi.h>

#if MPI_VERSION >= 3
#define PNMPI_CONST const
#else
#define PNMPI_CONST
#endif

#endif
