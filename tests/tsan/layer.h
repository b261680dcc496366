/* SPDX-License-Identifier: BSD-3-Clause */
/* layer.h - what the test program and its tool say to each other. */
#pragma once

#include <cairn/tool.h>

enum wrapped { wrapped_barrier, wrapped_bcast, wrapped_rank, wrapped_size, wrapped_reduce, wrapped_count };

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct layer {
  const struct cairn_tool_instance *self;
  int (*barrier)(MPI_Comm);                     /* its wrapper */
  long (*calls)(enum wrapped);                  /* how many it saw */
  void *(*ask)(void *handle, const char *name); /* dlsym, asked by the tool */
  int (*use_part)(const char *path); /* opens the library, lets it make its calls, closes it; 0 if that worked */
};

/* Defined by the program. */
void add_layer(const struct layer *layer);
/* As the C library's functions of these names would be entered under libcairn.so, the caller being who asks. */
void *ask_dlsym(void *handle, const char *name);
void *(*dlopen_target(void))(const char *file, int mode);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
