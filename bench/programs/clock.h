/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - the clock of the benchmark programs, the fastest of several blocks, and the process's memory. */
#ifndef CAIRN_BENCH_CLOCK_H
#define CAIRN_BENCH_CLOCK_H

#include <stdio.h>
#include <string.h>
#include <time.h>

static inline double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* ns per call in the fastest of `blocks` runs of work(calls): others on the machine can only make a block slower. */
static inline double fastest(void (*work)(long), long blocks, long calls) {
  double least = 0;
  for (long block = 0; block < blocks; ++block) {
    const double begin = now_ns();
    work(calls);
    const double per_call = (now_ns() - begin) / (double)calls;
    if (block == 0 || per_call < least) least = per_call;
  }
  return least;
}

/* Memory of this process that is in RAM, in KiB; 0 where the system does not tell. */
static inline long resident_kib(void) {
  long kib = 0;
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  if (status == NULL) return 0;
  while (fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, "VmRSS:", 6) == 0) sscanf(line + 6, "%ld", &kib);
  fclose(status);
  return kib;
}

/* What callgrind counts, with a dump after each call of `loop`: the first binds the functions, the others are two
 * lengths. */
static inline void run_counted(void (*loop)(long), long calls) {
  loop(calls);
  loop(calls);
  loop(3 * calls);
}

#endif
