/* SPDX-License-Identifier: BSD-3-Clause */
/* relaxing.c - rank 1 uses processor time in two functions before each barrier, three times as much in relax as in pack: itself, or a
   thread that makes no call (helper). Or it handles the signal of sampling itself, from the beginning (handler) or as if it were none of
   its own (reset). Rank 1 has a timer of its own, as sampling has, and tells how many of its periods had passed in each function when the
   system looked, until sampling ends: on a busy machine that is seldom. */

#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { steps = 10, unit_ns = 12000000, period_ns = 10000000, most_periods = 32 };

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

/* Without calls of the system, where a busy machine would interrupt it most. */
#define ADD(times) \
  for (long i = 0; i < (times); ++i) sum = sum + 1
static long unit; /* times */

static void measure_unit(void) {
  const long some = 10000000, begin = used_ns();
  ADD(some);
  unit = (long)((double)some * unit_ns / (double)(used_ns() - begin));
}

enum { elsewhere, in_relax, in_pack };
static volatile sig_atomic_t place;
static volatile long periods[3];

__attribute__((noinline)) static void relax(void) { ADD(3 * unit); }
__attribute__((noinline)) static void pack(void) { ADD(unit); }

static void count(int signal, siginfo_t* info, void* context) {
  (void)signal;
  (void)context;
  periods[place] += info->si_overrun < most_periods ? 1 + info->si_overrun : 1; /* of more, only the last is known */
}

/* In the processor time of this thread. */
static timer_t start_counting(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = count;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaddset(&action.sa_mask, SIGURG); /* its handler is to see what this one interrupts */
  sigaction(SIGUSR2, &action, NULL);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR2;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  timer_t timer = NULL;
  timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer);
  const struct itimerspec every = {{0, period_ns}, {0, period_ns}};
  timer_settime(timer, 0, &every, NULL);
  return timer;
}

static const struct itimerspec no_time; /* stops a timer */

static void work(void) {
  place = in_relax;
  relax();
  place = in_pack;
  pack();
  place = elsewhere;
}

static sem_t go, done;

static void sleep_ms(long ms) {
  struct timespec rest = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&rest, &rest) != 0) {
  }
}

/* It begins with the signal blocked, as any thread does for a moment. */
static void* helper(void* nothing) {
  sleep_ms(50);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  sleep_ms(250);
  const timer_t timer = start_counting();
  for (int step = 0; step < steps; ++step) {
    sem_wait(&go);
    work();
    sem_post(&done);
  }
  timer_delete(timer);
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
  measure_unit();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int is_helped = strcmp(how, "helper") == 0;
  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  pthread_t thread;
  timer_t timer = NULL;
  if (rank == 1 && is_helped) {
    sigset_t urgent, before;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    pthread_sigmask(SIG_BLOCK, &urgent, &before);
    pthread_create(&thread, NULL, helper, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  if (rank == 1 && !is_helped) timer = start_counting();
  for (int step = 0; step < steps; ++step) {
    if (step == 5 && strcmp(how, "reset") == 0) {
      signal(SIGURG, SIG_DFL);
      if (rank == 1) timer_settime(timer, 0, &no_time, NULL);
    }
    if (rank == 1 && is_helped) {
      sem_post(&go);
      sem_wait(&done);
    } else if (rank == 1) {
      work();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 1 && is_helped) pthread_join(thread, NULL);
  else if (rank == 1) timer_delete(timer);
  if (strcmp(how, "handler") == 0) raise(SIGURG);
  MPI_Finalize();
  if (rank == 1)
    printf("relax %ld, pack %ld\nheard %d, timers %d\n", periods[in_relax], periods[in_pack], (int)heard,
           timers_left());
  return 0;
}
