/* SPDX-License-Identifier: BSD-3-Clause */
/* openmpi.c - a libopen-pal.so.40 before the system's: ranks of Open MPI that wait sleep. Its own setting (mpi_yield_when_idle) has them ask
   again and again: four ranks of examples/hang take 2.3 s of processor time a second on 2 cores, and so 0.1 s. The library's components
   that make progress are registered here and all asked in one, so that it is known whether any had something to do.

   A rank waits for its launcher's answer to PMIx_Finalize, but only for 2 s. If it ends before a launcher that gets no processor, or is held up by a
   disk, has read its message, mpirun says that rank N "with PID 0" exited improperly, and ends with 1 (issue 7833 of Open MPI). Here it
   then stays a while longer. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "nap.h"

typedef int Progress(void);
typedef int Register(Progress*);

enum { most = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Progress* callbacks[most]; /* null: none any more */

static int progress(void) {
  static __thread unsigned in_vain;
  int done = 0;
  for (int i = 0; i < most; ++i) {
    Progress* const callback = __atomic_load_n(&callbacks[i], __ATOMIC_ACQUIRE);
    if (callback != NULL) done += callback();
  }
  if (done > 0) in_vain = 0;
  else if (++in_vain >= 1024 && in_vain % 4 == 0) nap((in_vain - 1024) / 4);
  return done;
}

static Register* next(const char* name) { return (Register*)dlsym(RTLD_NEXT, name); }

/* Exchanges one entry; -1: there is none. */
static int replace(Progress* before, Progress* after) {
  int at = 0;
  pthread_mutex_lock(&lock);
  while (at < most && callbacks[at] != before) ++at;
  if (at < most) __atomic_store_n(&callbacks[at], after, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return at < most ? at : -1;
}

static void begin(void) { next("opal_progress_register")(progress); }

int opal_progress_register(Progress* callback) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, begin);
  return replace(NULL, callback) < 0 ? next("opal_progress_register")(callback) : 0;
}

int opal_progress_unregister(Progress* callback) {
  return replace(callback, NULL) < 0 ? next("opal_progress_unregister")(callback) : 0;
}

typedef int Finalize(const void* info, size_t count);

static double now(void) {
  struct timespec moment;
  clock_gettime(CLOCK_MONOTONIC, &moment);
  return (double)moment.tv_sec + 1e-9 * (double)moment.tv_nsec;
}

int PMIx_Finalize(const void* info, size_t count) {
  static const double patience = 1.9; /* of the library */
  Finalize* const of_library = (Finalize*)dlsym(dlopen("libpmix.so.2", RTLD_LAZY | RTLD_NOLOAD), "PMIx_Finalize");
  const double began = now();
  const int result = of_library(info, count);
  if (now() - began > patience) nanosleep(&(struct timespec){10, 0}, NULL);
  return result;
}
