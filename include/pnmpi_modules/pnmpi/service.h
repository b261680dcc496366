/* SPDX-License-Identifier: BSD-3-Clause */
/* service.h - PnMPI's services for modules, as Cairn offers them: the same names, types and codes. */
/*
 * A module is a layer. Its handle is its place in the list of layers, from 0 for the outermost; each named stack takes
 * one number more, in front of its first module. "The module" below is the one whose code calls the function, as each
 * use of a module is a copy of its own.
 *
 * Ownership: what is registered is copied, but for what it points to; texts that are returned stay valid.
 * Threads:   any, from PNMPI_RegistrationPoint on (hooks.h).
 * docs/pnmpi.md says where this differs from PnMPI.
 */
#ifndef PNMPI_SERVICE_H
#define PNMPI_SERVICE_H

#include <stdint.h>

#define PNMPI_SERVICE_NAMELEN 30 /* of a global or a service, with the zero at the end */
#define PNMPI_SERVICE_SIGLEN 20  /* of a service's signature */
#define PNMPI_HOOK_SAME __func__ /* the hook that the calling function is */

#ifdef __cplusplus
extern "C" {
#endif

/* Of a module, or of the first module of a stack. */
typedef int PNMPI_modHandle_t;

typedef enum pnmpi_status {
  PNMPI_SUCCESS = 0,
  PNMPI_FAILURE = -1,
  PNMPI_NOMEM = -2,
  PNMPI_NOMODULE = -3,  /* no module has that name or handle */
  PNMPI_NOSERVICE = -4, /* the module has no service of that name */
  PNMPI_NOGLOBAL = -5,  /* the module has no global of that name */
  PNMPI_SIGNATURE = -6, /* the name is right, the signature is not */
  PNMPI_NOARG = -7,     /* the module has no argument of that name */
  PNMPI_NOSTACK = -8,   /* no stack has that name */
  PNMPI_NOT_IMPLEMENTED = INT8_MIN
} PNMPI_status_t;

typedef int (*PNMPI_Service_Fct_t)();

/* A variable that other modules may use; what `sig` says of its type is agreed between modules. */
typedef struct PNMPI_Global_descriptor_d {
  char name[PNMPI_SERVICE_NAMELEN];
  char sig;
  union {
    char *c;
    short *s;
    int *i;
    unsigned int *u;
    long *l;
    double *d;
    float *f;
    void **p;
  } addr;
} PNMPI_Global_descriptor_t;

/* A function that other modules may call. */
typedef struct PNMPI_Service_descriptor_d {
  char name[PNMPI_SERVICE_NAMELEN];
  char sig[PNMPI_SERVICE_SIGLEN];
  PNMPI_Service_Fct_t fct;
} PNMPI_Service_descriptor_t;

/* Names the module, so that others find it. */
PNMPI_status_t PNMPI_Service_RegisterModule(const char *name);
PNMPI_status_t PNMPI_Service_GetModuleByName(const char *name, PNMPI_modHandle_t *handle);
PNMPI_status_t PNMPI_Service_GetModuleSelf(PNMPI_modHandle_t *handle);

/* The first module of a stack: for functions X_NewStack (newstack.h), and the next two. */
PNMPI_status_t PNMPI_Service_GetStackByName(const char *name, PNMPI_modHandle_t *handle);
/* Sends the program's MPI calls to that module from then on, those of all threads; 0: the way they came in at first. */
PNMPI_status_t PNMPI_Service_ChangeStack(PNMPI_modHandle_t stack);

PNMPI_status_t PNMPI_Service_RegisterGlobal(const PNMPI_Global_descriptor_t *global);
PNMPI_status_t PNMPI_Service_GetGlobalByName(PNMPI_modHandle_t handle, const char *name, const char sig,
                                             PNMPI_Global_descriptor_t *dest);

PNMPI_status_t PNMPI_Service_RegisterService(const PNMPI_Service_descriptor_t *service);
PNMPI_status_t PNMPI_Service_GetServiceByName(PNMPI_modHandle_t handle, const char *name, const char *sig,
                                              PNMPI_Service_descriptor_t *dest);

/* The value of an `argument` line of the configuration, the first of that name; the second returns NULL for none. */
PNMPI_status_t PNMPI_Service_GetArgument(PNMPI_modHandle_t handle, const char *name, const char **dest);
const char *PNMPI_Service_GetArgumentSelf(const char *name);

/* Whether a module gets MPI_Pcontrol: what its line `pcontrol` says, else 1 for the first module alone. */
PNMPI_status_t PNMPI_Service_GetPcontrol(const PNMPI_modHandle_t handle, int *flag);
int PNMPI_Service_GetPcontrolSelf(void);

/* Of the program's MPI call that the thread is in: where it returns to, and the function that was called. */
PNMPI_status_t PNMPI_Service_GetReturnAddress(void **ptr);
PNMPI_status_t PNMPI_Service_GetFunctionAddress(void **ptr);

/* Calls the function of that name in the next module of the stack that exports one, or from a stack's first module on. */
void PNMPI_Service_CallHook(const char *hook);
void PNMPI_Service_CallHook_NewStack(const char *hook, PNMPI_modHandle_t stack);

const char *PNMPI_Service_strerror(PNMPI_status_t err);

#ifdef __cplusplus
}
#endif

#endif
