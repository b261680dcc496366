// SPDX-License-Identifier: BSD-3-Clause
// late_reader.c - preloaded: threads that read records from time to time come to a processor 0.4 s late, as on a machine
// that is far too busy
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* until) {
  usleep(400000);
  (void)clock;  // the monotonic one, which began before this
  (void)until;
  while (sem_trywait(semaphore) == 0) {
  }
  return 0;
}
