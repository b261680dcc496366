/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks.h - what a PnMPI module may define, and when it is called: all modules have been loaded by then. */
#ifndef PNMPI_HOOKS_H
#define PNMPI_HOOKS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The name that the module is registered by, in place of PNMPI_Service_RegisterModule. */
extern const char *PNMPI_ModuleName;

/* Before the program's first MPI call reaches a layer: first this one of every module, the outermost first, to register
 * what it offers; */
void PNMPI_RegistrationPoint(void);
/* then this one, which may look for what others offer. */
void PNMPI_Init(void);

/* When the process exits: first this one of every module, */
void PNMPI_Fini(void);
/* then this one, which must not use other modules. */
void PNMPI_UnregistrationPoint(void);

#ifdef __cplusplus
}
#endif

#endif
