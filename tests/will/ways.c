// SPDX-License-Identifier: BSD-3-Clause
// ways.c - a program that ends in the way that its first argument says, after MPI_Init and a barrier.
//
// Ways are in the table below; the second argument is a signal's number where a way needs one. `early` as a third one:
// handlers are installed before MPI_Init.
#include <mpi.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int number = SIGTERM;
static int *volatile nowhere;
static volatile sig_atomic_t came;
static sigjmp_buf way_back;

static void say(const char *text) {
  if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(99);
}

// ---------------------------------------------------------- handlers

static void leaves(int caught) {
  say("handler leaves\n");
  _exit(40 + caught % 2);
}
static void exits(int caught) {
  (void)caught;
  say("handler exits\n");
  exit(42);
}
static void raises(int caught) {
  say("handler raises\n");
  signal(caught, SIG_DFL);
  raise(caught);
}
static void returns(int caught) {
  (void)caught;
  ++came;
}
static void is_large(int caught) {
  volatile char frame[1000 * 1024];
  for (size_t at = 0; at < sizeof frame; at += 512) frame[at] = (char)caught;
  came += frame[512] == (char)caught;
}
static void jumps(int caught) {
  (void)caught;
  siglongjmp(way_back, 1);
}

static void handle(void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, NULL);
}

// ---------------------------------------------------------- ways

static void sends(void) { raise(number); }
static int is_last(void) {
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return rank == size - 1;
}
static void last_sends(void) {
  if (is_last()) raise(number);
  pause();
}
/* Until a thread naps in a handler, as it does while it waits for other ranks. Without handler the process has ended. */
static void wait_for_nap_of(pid_t thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)thread);
  for (long call = -1; call != SYS_clock_nanosleep;) {
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%ld", &call) != 1) call = -1; /* "running" */
    if (file != NULL) fclose(file);
  }
}
static void *waits_and_exits(void *nothing) {
  wait_for_nap_of(getpid());
  exit(7);
  return nothing;
}
static void last_sends_while_another_thread_exits(void) {
  pthread_t thread;
  if (is_last()) {
    pthread_create(&thread, NULL, waits_and_exits, NULL);
    raise(number);
  }
  pause();
}
static void *pauses(void *id) {
  *(volatile pid_t *)id = gettid();
  for (;;) pause();
  return NULL;
}
static void last_sends_to_a_thread_and_cancels_it(void) {
  pthread_t thread;
  volatile pid_t id = 0;
  if (is_last()) {
    pthread_create(&thread, NULL, pauses, (void *)&id);
    while (id == 0) usleep(1000);
    pthread_kill(thread, number);
    wait_for_nap_of(id);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    say("lives\n");
    exit(8);
  }
  pause();
}
static void faults(void) { *nowhere = 1; }
static int overflow(volatile int *up) {
  volatile int here[1000];
  here[0] = *up + 1;
  return overflow(here) + here[999];
}
static void overflows(void) {
  volatile int bottom = 0;
  printf("%d", overflow(&bottom));
}
static void divides(void) {
  volatile int zero = 0;
  printf("%d", 1 / zero);
  raise(SIGFPE);  // where a division by zero gives a number
}
static void traps(void) { __builtin_trap(); }
static void misses(void) {  // a page of a file that has none
  char name[] = "/tmp/waysXXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  *page = 1;
}
static void *fault_in_thread(void *unused) {
  *nowhere = 1;
  return unused;
}
static void thread_faults(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, fault_in_thread, NULL);
  pthread_join(thread, NULL);
}
static void aborts(void) { abort(); }
static void exits_3(void) { exit(3); }
static void leaves_4(void) { _exit(4); }
static void Leaves_5(void) { _Exit(5); }
static void quick(void) { quick_exit(6); }
static void mpi_abort(void) { MPI_Abort(MPI_COMM_WORLD, 7); }
static void errs(void) {
  int one = 1;
  MPI_Send(&one, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
}
static void truncates(void) {
  int long_one[2] = {1, 2}, short_one = 0;
  int size, rank;
  MPI_Request request;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Irecv(&short_one, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
  MPI_Send(long_one, 2, MPI_INT, size - 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void alarms(void) {
  alarm(1);
  ualarm(10, 0);
  for (;;) pause();
}
static void pipes(void) {
  int ends[2];
  if (pipe(ends) != 0) exit(98);
  close(ends[0]);
  if (write(ends[1], "x", 1) < 0) exit(97);
}
static void outgrows(void) {
  const struct rlimit limit = {100, 100};
  char name[] = "/tmp/waysXXXXXX", data[200] = "";
  const int file = mkstemp(name);
  unlink(name);
  setrlimit(RLIMIT_FSIZE, &limit);
  (void)!write(file, data, sizeof data);
  (void)!write(file, data, sizeof data);
}
static void limit(int what, rlim_t most) {
  struct rlimit now;
  getrlimit(what, &now);
  now.rlim_cur = most;
  setrlimit(what, &now);
}
static void small_files(void) { limit(RLIMIT_FSIZE, 100); }
static void no_more_files(void) { limit(RLIMIT_NOFILE, 3); }
static void finalizes_at_exit(void) { MPI_Finalize(); }
static void exits_well(void) { exit(8); }

static void children_end(void) {  // in all ways that must not look like the end of their parent
  int status;
  for (volatile int way = 0; way < 4; ++way) {
    const pid_t child = way == 3 ? vfork() : fork();
    if (child == 0 && way == 0) raise(SIGTERM);
    if (child == 0 && way == 1) exit(1);
    if (child == 0 && way == 2) abort();
    if (child == 0) _exit(1);
    waitpid(child, &status, 0);
    printf("child: %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status));
  }
}

// A handler that lives on: twice, as it may be for one time only.
static void survives(void) {
  for (volatile int i = 0; i < 2; ++i) {
    if (sigsetjmp(way_back, 1) == 0) {
      if (number == SIGABRT) abort();
      else if (number == SIGSEGV) *nowhere = 1;
      else raise(number);
    }
    say("lives on\n");
  }
}
static void survives_then_terminates(void) {
  survives();
  raise(SIGTERM);
}
static void sees_its_own_actions(void) {
  struct sigaction action;
  static const char *const names[] = {"default", "ignored", "a handler"};
  for (int i = 1; i < 65; ++i) {
    if (i == SIGKILL || i == SIGSTOP || i == 32 || i == 33) continue;
    if (sigaction(i, NULL, &action) != 0) perror("sigaction");
    const int kind = action.sa_handler == SIG_DFL ? 0 : action.sa_handler == SIG_IGN ? 1 : 2;
    if (kind != 0 && (i == number || (i != SIGSEGV && i != SIGBUS && i != SIGFPE && i != SIGABRT)))
      printf("%d: %s, flags %x\n", i, names[kind], (unsigned)action.sa_flags);
  }
  printf("%d %d %d\n", signal(number, SIG_IGN) == returns, signal(number, SIG_DFL) == SIG_IGN,
         signal(number, SIG_DFL) == SIG_DFL);
}

static const struct {
  const char *name;
  void (*end)(void);
  void (*handler)(int);
  int flags;
} ways[] = {{"sends", sends, NULL, 0},
            {"last_sends", last_sends, NULL, 0},
            {"last_sends_while_another_thread_exits", last_sends_while_another_thread_exits, NULL, 0},
            {"last_sends_to_a_thread_and_cancels_it", last_sends_to_a_thread_and_cancels_it, NULL, 0},
            {"faults", faults, NULL, 0},
            {"overflows", overflows, NULL, 0},
            {"divides", divides, NULL, 0},
            {"traps", traps, NULL, 0},
            {"misses", misses, NULL, 0},
            {"thread_faults", thread_faults, NULL, 0},
            {"aborts", aborts, NULL, 0},
            {"exits", exits_3, NULL, 0},
            {"_exits", leaves_4, NULL, 0},
            {"_Exits", Leaves_5, NULL, 0},
            {"quick_exits", quick, NULL, 0},
            {"MPI_Abort", mpi_abort, NULL, 0},
            {"errs", errs, NULL, 0},
            {"truncates", truncates, NULL, 0},
            {"small_files", small_files, NULL, 0},
            {"no_more_files", no_more_files, NULL, 0},
            {"alarms", alarms, NULL, 0},
            {"pipes", pipes, NULL, 0},
            {"outgrows", outgrows, NULL, 0},
            {"finalizes_at_exit", exits_well, NULL, 0},
            {"children_end", children_end, NULL, 0},
            {"handler_leaves", sends, leaves, 0},
            {"handler_exits", sends, exits, 0},
            {"handler_raises", sends, raises, 0},
            {"handler_returns", sends, returns, 0},
            {"handler_is_large", sends, is_large, (int)SA_ONSTACK},
            {"handler_of_fault_leaves", faults, leaves, 0},
            {"handler_of_fault_raises", faults, raises, 0},
            {"handler_of_fault_once", faults, returns, (int)SA_RESETHAND},
            {"handler_of_overflow_once", overflows, leaves, (int)SA_RESETHAND},
            {"handler_of_abort_returns", aborts, returns, 0},
            {"handler_once", sends, returns, (int)SA_RESETHAND},
            {"ignored", sends, SIG_IGN, 0},
            {"survives", survives, jumps, 0},
            {"survives_then_terminates", survives_then_terminates, jumps, 0},
            {"sees_its_own_actions", sees_its_own_actions, returns, SA_RESTART}};

int main(int argc, char **argv) {
  const int early = argc > 3;
  size_t way = 0;
  if (argc > 2) number = atoi(argv[2]);
  while (strcmp(ways[way].name, argv[1]) != 0) ++way;
  if (strcmp(argv[1], "finalizes_at_exit") == 0) atexit(finalizes_at_exit);
  if (early && ways[way].handler != NULL) handle(ways[way].handler, ways[way].flags);
  MPI_Init(&argc, &argv);
  if (!early && ways[way].handler != NULL) handle(ways[way].handler, ways[way].flags);
  MPI_Barrier(MPI_COMM_WORLD);
  say("begins to end\n");
  ways[way].end();
  printf("came to the end, handler %d times\n", (int)came);
  MPI_Finalize();
  return 0;
}
