/* SPDX-License-Identifier: BSD-3-Clause */
/* nap.h - how long a rank sleeps that waits, after so many times: 50 us, and the longer the longer it has waited, by a hundredth of that, up to
   2 ms. Ranks that hang, as they do in tests, so leave the processor to others. */
#include <time.h>

static void nap(unsigned earlier) {
  const unsigned longest = 2000; /* microseconds */
  const unsigned length = 50 + earlier / 2 < longest ? 50 + earlier / 2 : longest;
  nanosleep(&(struct timespec){0, 1000L * length}, NULL);
}
