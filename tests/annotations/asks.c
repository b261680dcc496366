// SPDX-License-Identifier: BSD-3-Clause
// asks.c - a program that marks regions only where a library for it is there: linked, or opened for itself alone.

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#pragma weak cali_begin_region
#pragma weak Tau_start
void cali_begin_region(const char *name);
void Tau_start(const char *name);

static const char *whether(int is_there) { return is_there ? "there" : "not there"; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  void (*volatile begin)(const char *) = cali_begin_region;
  void (*volatile start)(const char *) = Tau_start;
  printf("linked: %s, %s\n", whether(begin != NULL), whether(start != NULL));
  printf("by name: %s, %s\n", whether(dlsym(RTLD_DEFAULT, "cali_begin_region") != NULL),
         whether(dlsym(RTLD_DEFAULT, "Tau_start") != NULL));
  for (int i = 1; i < argc; ++i) {
    void *const plugin = dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL);
    if (plugin == NULL) printf("%s\n", dlerror()), exit(1);
    ((void (*)(void))dlsym(plugin, "mark"))();
    printf("afterwards: %s\n", whether(dlsym(RTLD_DEFAULT, "cali_begin_region") != NULL));
    dlclose(plugin);
  }
  MPI_Finalize();
  return 0;
}
