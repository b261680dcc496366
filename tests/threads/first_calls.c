// SPDX-License-Identifier: BSD-3-Clause
// first_calls.c - the first MPI call of one thread, while a library that another thread opens makes one in its constructor
//
// The opening thread has the dynamic loader's lock. Built with -DPLUGIN this file is that library. Prints "ok" if both
// calls return and MPI works afterwards.

#include <mpi.h>

void wait_for_the_other(void);

#ifdef PLUGIN

__attribute__((constructor)) static void construct(void) {
  int flag;
  wait_for_the_other();
  MPI_Initialized(&flag);
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static atomic_int other;  // its thread number
static atomic_int go;
static atomic_int done;

static void *make_first_call(void *argument) {
  int flag;
  other = gettid();
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

// Until it waits for something that does not come meanwhile, or is through.
void wait_for_the_other(void) {
  const struct timespec moment = {0, 1000000};
  go = 1;
  for (int times = 0; times < 100 && !done; times = sleeps(other) ? times + 1 : 0) nanosleep(&moment, NULL);
}

int main(int argc, char **argv) {
  pthread_t thread;
  if (argc != 2 || pthread_create(&thread, NULL, make_first_call, NULL) != 0) return 9;
  while (!other) continue;
  if (dlopen(argv[1], RTLD_NOW) == NULL) return 8;
  pthread_join(thread, NULL);
  MPI_Init(NULL, NULL);
  MPI_Finalize();
  puts("ok");
  return 0;
}

#endif
