/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.h - what the stack and a gate, the module that lets calls on some communicators into a layer, say to each other.
 */
/*
 * A gate is built once for each MPI; every layer with a filter over communicators has a copy of its own. Both sides are
 * built and installed together.
 */
#ifndef CAIRN_CONTRACTS_GATE_H
#define CAIRN_CONTRACTS_GATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_gate_function {
  const char *name; /* "MPI_Send" */
  void *entry;      /* what calls from above reach */
  void *inside;     /* the layer; written by the stack, also later and while other threads read it */
  void *outside;    /* what lies below it; the same */
  int watches;      /* not 0: to be entered always, as the call changes what is known of a communicator */
};

struct cairn_gate {
  struct cairn_gate_function *functions;
  size_t count;
};

/* cairn_gate_open. `comms`: "world", "self" or globs over names, [count]; they stay valid. */
typedef struct cairn_gate cairn_gate_opener(const char *const *comms, size_t count);

#ifdef __cplusplus
}
#endif
#endif
