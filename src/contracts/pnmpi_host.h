/* SPDX-License-Identifier: BSD-3-Clause */
/* pnmpi_host.h - what libcairn-stack.so and libcairn-pnmpi.so, which defines the functions of PnMPI, say to each other. */
/*
 * Each layer that calls PnMPI has a copy of libcairn-pnmpi.so of its own, so that a call says which module makes it. A
 * first one, of nobody, is for all to see: modules whose symbols are bound at once need it to be loaded. Both sides are
 * built and installed together.
 */
#ifndef CAIRN_CONTRACTS_PNMPI_HOST_H
#define CAIRN_CONTRACTS_PNMPI_HOST_H

#include <stdint.h>

#include "pnmpi/service.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As in service.h, with the handle of the module that calls. */
struct cairn_pnmpi_host {
  PNMPI_modHandle_t (*module_at)(const void *address); /* negative: there is none */
  PNMPI_status_t (*name_module)(PNMPI_modHandle_t self, const char *name);
  PNMPI_status_t (*find_module)(const char *name, PNMPI_modHandle_t *handle);
  PNMPI_status_t (*find_stack)(const char *name, PNMPI_modHandle_t *handle);
  PNMPI_status_t (*change_stack)(PNMPI_modHandle_t stack);
  PNMPI_status_t (*add_global)(PNMPI_modHandle_t self, const PNMPI_Global_descriptor_t *global);
  PNMPI_status_t (*find_global)(PNMPI_modHandle_t handle, const char *name, char sig, PNMPI_Global_descriptor_t *dest);
  PNMPI_status_t (*add_service)(PNMPI_modHandle_t self, const PNMPI_Service_descriptor_t *service);
  PNMPI_status_t (*find_service)(PNMPI_modHandle_t handle, const char *name, const char *sig,
                                 PNMPI_Service_descriptor_t *dest);
  PNMPI_status_t (*find_argument)(PNMPI_modHandle_t handle, const char *name, const char **dest);
  PNMPI_status_t (*gets_pcontrol)(PNMPI_modHandle_t handle, int *flag);
  void *(*return_address)(void);
  void *(*function_address)(void);
  void (*call_hook)(const char *hook, PNMPI_modHandle_t first);
  /* What XMPI_X_NewStack of that number in names.inc calls. */
  void *(*target)(PNMPI_modHandle_t self, PNMPI_modHandle_t stack, uint32_t function);
};

/* Exported under these names, written before any other function is called. */
extern const struct cairn_pnmpi_host *cairn_pnmpi_services;
extern PNMPI_modHandle_t cairn_pnmpi_self; /* -1: of whoever calls */

#ifdef __cplusplus
}
#endif
#endif
