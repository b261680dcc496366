/* SPDX-License-Identifier: BSD-3-Clause */
/* stack.h - the service "cairn.stack": lists the layers and switches them off and on. */
/*
 *   const struct cairn_stack *stack = self->find(self, CAIRN_STACK, CAIRN_STACK_VERSION);
 *
 * Offered by Cairn itself to every tool. It covers the layers that the user asked for: level 1 is the outermost,
 * count() the innermost, self->level the tool's own. Layers that Cairn adds are not listed and cannot be switched.
 *
 * Ownership: texts belong to Cairn and stay valid until the process ends.
 * Threads:   any, at any time after cairn_tool_start has been entered. Takes a lock: do not use it in every call.
 * Errors:    a non-zero result means that there is no such layer; nothing was changed.
 * MPI:       no function calls MPI. Layers are switched on this rank only.
 */
#ifndef CAIRN_STACK_H
#define CAIRN_STACK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_STACK "cairn.stack"
#define CAIRN_STACK_VERSION 1

struct cairn_stack_layer {
  const char *tool;  /* as the user named it: a bundled tool's name, or a path */
  uint32_t instance; /* 1, 2, ... among the layers of the same tool, outermost first */
  int loaded;        /* 0: it could not be loaded, or is not loaded yet: the innermost layer comes first */
};

struct cairn_stack {
  /* The number of layers that the user asked for, loaded or not. */
  uint32_t (*count)(void);
  /* Fills in *layer. */
  int (*describe)(uint32_t level, struct cairn_stack_layer *layer);
  /* 1 if the layer is loaded and its switch is on. A filter of the user may still keep it off. */
  int (*is_active)(uint32_t level);
  /* As set_active in tool.h, for any loaded layer. */
  int (*set_active)(uint32_t level, int active);
  /* What follows came later: find_sized of tool.h tells whether it is there. */
  /* 1 if the layer has filters that keep calls from it. */
  int (*has_filters)(uint32_t level);
  /* 1 if they are in force, as they are at first. */
  int (*are_filters_on)(uint32_t level);
  /* Out of force, they keep nothing from the layer while its switch is on; what the user took from it by the full name
     of a function that else always reaches a layer stays away. */
  int (*set_filters_on)(uint32_t level, int on);
};

#ifdef __cplusplus
}
#endif

#endif
