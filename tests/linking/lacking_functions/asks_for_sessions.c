// SPDX-License-Identifier: BSD-3-Clause
// asks_for_sessions.c - a program that finds out in every way whether there is MPI_Session_init.
//
// Works with one rank. Calls: Init 1, Finalize 1. Each way is tried before MPI_Init and after it.

#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>

static const char *yes_or_no(const void *found) { return found != NULL ? "yes" : "no"; }

static void ask(const char *when) {
#ifdef OPEN_MPI
  void *library = dlopen("libmpi.so.40", RTLD_LAZY);
#else
  void *library = dlopen("libmpich.so.12", RTLD_LAZY);
#endif
  for (const char *const *name = (const char *const[]){"MPI_Session_init", "MPI_Send", "MPI_No_such", NULL};
       *name != NULL; ++name)
    printf("%s %s: default %s, next %s, program %s, library %s\n", when, *name, yes_or_no(dlsym(RTLD_DEFAULT, *name)),
           yes_or_no(dlsym(RTLD_NEXT, *name)), yes_or_no(dlsym(dlopen(NULL, RTLD_LAZY), *name)),
           yes_or_no(dlsym(library, *name)));
}

int main(int argc, char **argv) {
  ask("before");
  MPI_Init(&argc, &argv);
  ask("after");
  MPI_Finalize();
  return 0;
}
