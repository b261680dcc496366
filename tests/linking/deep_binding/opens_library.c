// SPDX-License-Identifier: BSD-3-Clause
// opens_library.c - a program that opens the MPI library itself, with RTLD_DEEPBIND, and asks for its functions by
// name.
//
// Usage: opens_library LIBRARY. Asks first before it has opened anything. Calls of every rank: Init 1, Finalize 1.

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const int early = dlsym(RTLD_DEFAULT, "MPI_Init") != NULL;
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
  if (library == NULL) {
    fprintf(stderr, "opens_library: error: %s\n", dlerror());
    return 2;
  }
  int (*const init)(int *, char ***) = (int (*)(int *, char ***))dlsym(library, "MPI_Init");
  int (*const finalize)(void) = (int (*)(void))dlsym(library, "MPI_Finalize");
  init(&argc, &argv);
  printf("known early: %d\n", early);
  return finalize();
}
