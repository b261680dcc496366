// SPDX-License-Identifier: BSD-3-Clause
// opens_deep.c - a program without MPI that opens a library with MPI calls so that these are bound to the MPI library.
//
// Usage: opens_deep PLUGIN now|lazy|namespace, the plugin being plugin_mpi.c. "now" and "lazy" say RTLD_DEEPBIND;
// "namespace" opens it with dlmopen.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const int when = strcmp(argv[2], "lazy") == 0 ? RTLD_LAZY : RTLD_NOW;
  void *plugin = strcmp(argv[2], "namespace") == 0 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW)
                                                   : dlopen(argv[1], when | RTLD_LOCAL | RTLD_DEEPBIND);
  if (plugin == NULL) {
    fprintf(stderr, "opens_deep: error: %s\n", dlerror());
    return 2;
  }
  int (*const run)(int, char **) = (int (*)(int, char **))dlsym(plugin, "run");
  return run(argc, argv);
}
