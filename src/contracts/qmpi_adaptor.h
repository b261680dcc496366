/* SPDX-License-Identifier: BSD-3-Clause */
/* qmpi_adaptor.h - what the stack and an adaptor, the module between PMPI and a QMPI layer, say to each other. */
/*
 * There is an adaptor for each MPI and kind of QMPI, compiled with the MPI's header; each layer has a copy of its own,
 * so what belongs to the layer are plain variables of the copy. Both sides are built and installed together.
 */
#ifndef CAIRN_CONTRACTS_QMPI_ADAPTOR_H
#define CAIRN_CONTRACTS_QMPI_ADAPTOR_H

#include <stddef.h>
#include <stdint.h>

#include "cairn/tool.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_ADAPTOR_NO_ROW 0xFFFF

struct cairn_adaptor {
  struct cairn_tool_function
      *functions; /* all of this MPI, [count]; `next` is filled by the stack, there is no `wrapper` */
  size_t count;
  void *const *entries; /* MPI's arguments in, the tool's wrapper called with its own; [count] */
  void *const *exits;   /* the tool's arguments in, `next` called with MPI's; [count] */
  void **wrappers;      /* the tool's, written before the entry is used; [count] */
  int *level;           /* the layer's id or level, passed to its wrappers */
  void **vector;        /* of the thesis, passed to its wrappers; else null */
  /* For MPICH's kind; null and 0 for the thesis's. */
  const uint16_t *numbers; /* by QMPI_Functions_enum: a row of `functions`, or CAIRN_ADAPTOR_NO_ROW; [number_count] */
  size_t number_count;
  int bad_argument; /* MPI_ERR_ARG */
};

/* Exported under this name. */
extern const struct cairn_adaptor cairn_qmpi_adaptor;

#ifdef __cplusplus
}
#endif
#endif
