/* SPDX-License-Identifier: BSD-3-Clause */
/* xmpi.h - XMPI_X, the next layer's MPI_X: another name for PMPI_X, which leads there too. */
#ifndef PNMPI_XMPI_H
#define PNMPI_XMPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_QMPI_FUNCTION(name, result, with_context, parameters, arguments) result X##name parameters;
#define CAIRN_QMPI_VARIADIC_FUNCTION(...) /* MPI_Pcontrol, which PnMPI leaves out */
#include "cairn/generated/qmpi_types.inc"
#undef CAIRN_QMPI_VARIADIC_FUNCTION
#undef CAIRN_QMPI_FUNCTION

#ifdef __cplusplus
}
#endif

#endif
