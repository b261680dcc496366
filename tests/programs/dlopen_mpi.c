// SPDX-License-Identifier: BSD-3-Clause
// dlopen_mpi.c - a program not linked with MPI that opens a plugin which is.
//
// Usage: dlopen_mpi PLUGIN [--global], the plugin being plugin_mpi.c built as a shared object.
// Makes no MPI call of its own and must not be linked with any MPI library; the calls are those of
// plugin_mpi.c. The plugin is opened with RTLD_LOCAL, as Python and most plugin hosts do, so
// symbols of the MPI library are not visible to a lookup in the global scope; --global opens it
// with RTLD_GLOBAL. Exit code: what the plugin returns, 2 if it cannot be opened.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int RunFunction(int argc, char **argv);

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: dlopen_mpi PLUGIN [--global]\n");
    return 2;
  }
  const int global = argc > 2 && strcmp(argv[2], "--global") == 0;
  void *plugin = dlopen(argv[1], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (plugin == NULL) {
    fprintf(stderr, "dlopen_mpi: error: %s\n", dlerror());
    return 2;
  }
  // ISO C knows no conversion from void * to a function pointer; copying the bytes is fine.
  void *symbol = dlsym(plugin, "run");
  RunFunction *run = NULL;
  memcpy(&run, &symbol, sizeof run);
  if (run == NULL) {
    fprintf(stderr, "dlopen_mpi: error: %s has no function run\n", argv[1]);
    return 2;
  }
  // Never closed: MPI libraries do not survive being unmapped.
  return run(argc, argv);
}
