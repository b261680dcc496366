/* SPDX-License-Identifier: BSD-3-Clause */
/* work.h - ranks that sleep instead of working, so that the machine's load matters little, and how long it was; and such that work */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double worked, asked_for;

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void work(int milliseconds) {
  struct timespec rest = {0, milliseconds * 1000000L};
  const double begin = seconds_now();
  nanosleep(&rest, NULL);
  worked += seconds_now() - begin;
  asked_for += 1e-3 * milliseconds;
}

static inline void compute(int milliseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < 1e-3 * milliseconds);
}

/* For tests, which expect as much more waiting. */
static inline void tell_work(void) {
  if (getenv("TELL_WORK") != NULL && asked_for > 0) printf("worked %.3f s instead of %.3f s\n", worked, asked_for);
}
