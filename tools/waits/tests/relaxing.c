/* SPDX-License-Identifier: BSD-3-Clause */
/* relaxing.c - rank 1 uses processor time in two functions before each barrier, three times as much in relax as in pack: itself,
   or a thread that makes no call (helper). Or it
   handles the signal of sampling itself, from the beginning (handler) or as if it were none of its own (reset). */

#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { steps = 10, unit = 12000000 };

static volatile sig_atomic_t heard;
static volatile double sum;

static void hear(int signal) {
  (void)signal;
  ++heard;
}

static long used_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

#define SPIN(ns)                                                \
  for (const long until = used_ns() + (ns); used_ns() < until;) \
    for (int i = 0; i < 20000; ++i) sum = sum + 1
__attribute__((noinline)) static void relax(void) { SPIN(3L * unit); }
__attribute__((noinline)) static void pack(void) { SPIN(unit); }

static void work(void) {
  relax();
  pack();
}

static sem_t go, done;

static void* helper(void* nothing) {
  for (int step = 0; step < steps; ++step) {
    sem_wait(&go);
    work();
    sem_post(&done);
  }
  return nothing;
}

static int timers_left(void) {
  int count = 0;
  FILE* const timers = fopen("/proc/self/timers", "r");
  for (int c; timers != NULL && (c = getc(timers)) != EOF;) count += c == '\n';
  if (timers != NULL) fclose(timers);
  return count;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int rank = 0;
  if (strcmp(how, "handler") == 0) signal(SIGURG, hear);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int is_helped = strcmp(how, "helper") == 0;
  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  pthread_t thread;
  if (rank == 1 && is_helped) pthread_create(&thread, NULL, helper, NULL);
  for (int step = 0; step < steps; ++step) {
    if (step == 5 && strcmp(how, "reset") == 0) signal(SIGURG, SIG_DFL);
    if (rank == 1 && is_helped) {
      sem_post(&go);
      sem_wait(&done);
    } else if (rank == 1) {
      work();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 1 && is_helped) pthread_join(thread, NULL);
  if (strcmp(how, "handler") == 0) raise(SIGURG);
  MPI_Finalize();
  if (rank == 1) printf("heard %d, timers %d\n", (int)heard, timers_left());
  return 0;
}
