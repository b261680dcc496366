// SPDX-License-Identifier: BSD-3-Clause
// program.c - a program for sanitizers: it leaks 1,234 bytes, opens a library and returns 3.
//
// Calls of every rank: Init 1, Barrier 1, Finalize 1. With OWN_OPTIONS it tells the address sanitizer its options
// itself.

#include <mpi.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef OWN_OPTIONS
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void) { return "exitcode=44"; }
#endif

static void *volatile lost;
static void on_signal(int number) { (void)number; }

int main(int argc, char **argv) {
  signal(SIGUSR1, on_signal);
  MPI_Init(&argc, &argv);
  lost = malloc(1234);
  lost = dlopen("libm.so.6", RTLD_LAZY);
  raise(SIGUSR1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  puts("done");
  return 3;
}
