// SPDX-License-Identifier: BSD-3-Clause
// opener.c - opens libraries by the names on its command line and says what became of each; MPI runs around it.
//
// Usage: opener NAME... Works with one rank. Calls: Init 1, Finalize 1. BY_LIBRARY: the dlopen call is made by a
// library of the program, open_for_program in libopens.so, whose search path then counts.

#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>

#ifdef BY_LIBRARY
void *open_for_program(const char *name);
#else
static void *open_for_program(const char *name) { return dlopen(name, RTLD_NOW); }
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i) {
    void *library = open_for_program(argv[i]);
    if (library == NULL) {
      printf("%s: %s\n", argv[i], dlerror());
      continue;
    }
    const char *const *from = dlsym(library, "plug_name");
    printf("%s: %s\n", argv[i], from != NULL ? *from : "another library");
  }
  MPI_Finalize();
  return 0;
}
