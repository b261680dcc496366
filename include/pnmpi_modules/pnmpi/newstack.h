/* SPDX-License-Identifier: BSD-3-Clause */
/* newstack.h - XMPI_X_NewStack and PMPI_X_NewStack: MPI_X of the module with that handle, or of what lies below it. */
/* With a negative handle they are XMPI_X. service.h says what a handle is. */
#ifndef PNMPI_NEWSTACK_H
#define PNMPI_NEWSTACK_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The generated lines have (context, int tool_id, ...) with the parameters of MPI_X behind: an int comes first here too. */
#define CAIRN_BUT_CONTEXT(context, ...) (__VA_ARGS__)
#define CAIRN_QMPI_FUNCTION(name, result, with_context, parameters, arguments) \
  result X##name##_NewStack CAIRN_BUT_CONTEXT with_context;                    \
  result P##name##_NewStack CAIRN_BUT_CONTEXT with_context;
#define CAIRN_QMPI_VARIADIC_FUNCTION(...) /* MPI_Pcontrol, which PnMPI leaves out */
#include "cairn/generated/qmpi_types.inc"
#undef CAIRN_QMPI_VARIADIC_FUNCTION
#undef CAIRN_QMPI_FUNCTION
#undef CAIRN_BUT_CONTEXT

#ifdef __cplusplus
}
#endif

#endif
