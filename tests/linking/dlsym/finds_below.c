// SPDX-License-Identifier: BSD-3-Clause
// finds_below.c - a tool that is not linked with the functions under it but looks them up by name.
//
// PREFIX: "PMPI_" or "MPI_", what it looks up. WHERE: RTLD_NEXT, RTLD_DEFAULT, library() or program().
// EARLY: in its constructor; otherwise at the first call of each wrapper.

#define _GNU_SOURCE
#include <dlfcn.h>

#define TOOL "finds_below"
#define BELOW(name) ((__typeof__(&PMPI_##name))find(number_of_##name, PREFIX #name))
static void *find(int number, const char *name);
enum { number_of_Finalize = 100, most_functions };

#include "counts.h"

static inline void *library(void) {
#ifdef OPEN_MPI
  return dlopen("libmpi.so.40", RTLD_LAZY);
#else
  return dlopen("libmpich.so.12", RTLD_LAZY);
#endif
}

static inline void *program(void) { return dlopen(NULL, RTLD_LAZY); }

static void *found[most_functions];

static void look_up(int number, const char *name) {
  found[number] = dlsym(WHERE, name);
  if (found[number] == NULL) say("%s is not found", name);
}

static void *find(int number, const char *name) {
  if (found[number] == NULL) look_up(number, name);
  return found[number];
}

#ifdef EARLY
__attribute__((constructor)) static void find_all(void) {
#define LOOK_UP(name, parameters, arguments) look_up(number_of_##name, PREFIX #name);
  FUNCTIONS(LOOK_UP)
  look_up(number_of_Finalize, PREFIX "Finalize");
}
#endif

FUNCTIONS(COUNTING_WRAPPER)
REPORTING_FINALIZE
