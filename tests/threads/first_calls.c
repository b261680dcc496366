// SPDX-License-Identifier: BSD-3-Clause
// first_calls.c - the first MPI call of one thread, while a library that another thread opens makes one in its constructor
//
// The opening thread has the dynamic loader's lock. Two programs: in one, the library is being opened when the thread
// makes its call; with the argument "loading", the tools are being loaded for that call when the library is opened. Built
// with -DPLUGIN this file is the library, with -DTOOL a tool. Prints "ok" if both calls return and MPI works afterwards.

#include <mpi.h>

#ifdef PLUGIN

void in_constructor(void);

__attribute__((constructor)) static void construct(void) {
  int flag;
  in_constructor();
  MPI_Initialized(&flag);
}

#elif defined TOOL

#include <dlfcn.h>

#include "cairn/tool.h"

int MPI_Initialized(int *flag) { return PMPI_Initialized(flag); }

int cairn_tool_start(const struct cairn_tool_instance *self) {
  void (*const in_start)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "in_start_of_tool");
  if (in_start != NULL) in_start();
  return self == NULL;
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static atomic_int caller;  // thread numbers
static atomic_int opener;
static atomic_int go;  // the thread's call
static atomic_int open_it;
static atomic_int done;
static int is_loading_first;

static void *make_first_call(void *argument) {
  int flag;
  caller = gettid();
  while (!go) continue;
  MPI_Initialized(&flag);
  done = 1;
  return argument;
}

static int sleeps(int thread) {
  char path[64];
  char state = 'R';
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *const file = fopen(path, "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'R';
  fclose(file);
  return state == 'S';
}

// Until the thread waits for something that does not come meanwhile, or is through.
static void wait_for(int thread) {
  const struct timespec moment = {0, 1000000};
  for (int times = 0; times < 100 && !done; times = sleeps(thread) ? times + 1 : 0) nanosleep(&moment, NULL);
}

void in_constructor(void) {
  if (is_loading_first) return;
  go = 1;
  wait_for(caller);
}

void in_start_of_tool(void) {
  if (!is_loading_first) return;
  open_it = 1;
  wait_for(opener);
}

int main(int argc, char **argv) {
  pthread_t thread;
  opener = gettid();
  is_loading_first = argc == 3;
  if (argc < 2 || pthread_create(&thread, NULL, make_first_call, NULL) != 0) return 9;
  while (!caller) continue;
  if (is_loading_first) {
    go = 1;
    while (!open_it) continue;
  }
  if (dlopen(argv[1], RTLD_NOW) == NULL) return 8;
  pthread_join(thread, NULL);
  MPI_Init(NULL, NULL);
  MPI_Finalize();
  puts("ok");
  return 0;
}

#endif
