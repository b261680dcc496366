// SPDX-License-Identifier: BSD-3-Clause
// steps.c - does what its arguments say, in order, between MPI_Init and MPI_Finalize.
//
//   rank=N size=N   N calls of MPI_Comm_rank or MPI_Comm_size on MPI_COMM_WORLD      self=N    … of rank on
//   MPI_COMM_SELF dup=NAME        a duplicate of MPI_COMM_WORLD with that name, the current one     named=N   … of rank
//   on the current one rename=NAME     a new name for the current one                                    free frees it
//   pcontrol=N      MPI_Pcontrol(N, "more", 2.5)
//   on=NAME off=NAME  turns the control variable NAME_active of MPI_T
//   signal=1|2      raises SIGUSR1 or SIGUSR2
//   seen unseen     calls MPI_Get_version until a tool has seen, or not seen, the last of them
//   begin=NAME end=NAME  a region of cairn/region.h
//   exit            leaves without MPI_Finalize
//   kill            kills itself
//   handler         (first) sets a handler of the program's own for SIGUSR2, before MPI_Init; its calls are printed
//   fork            has a child that ends at once
//   init_thread     (first) MPI_Init_thread in place of MPI_Init

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cairn/region.h"

__attribute__((visibility("default"))) volatile int cairn_test_seen;  // a tool counts MPI_Get_version here

static volatile sig_atomic_t handled;
static MPI_Comm current = MPI_COMM_NULL;

static void handle(int number) { handled += number == SIGUSR2; }

static void ask(int wanted) {
  int version;
  int subversion;
  for (;;) {
    const int before = cairn_test_seen;
    MPI_Get_version(&version, &subversion);
    if ((cairn_test_seen != before) == wanted) return;
    usleep(1000);
  }
}

static void ask_ranks(MPI_Comm comm, int times) {
  int rank;
  for (int i = 0; i < times; ++i) MPI_Comm_rank(comm, &rank);
}

static void fork_child(void) {
  const pid_t child = fork();
  if (child == 0) _exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
}

/* When all have come that far, or the launcher would end those that have not. */
static void die(void) {
  PMPI_Barrier(MPI_COMM_WORLD);  // no layer sees it
  raise(SIGKILL);
}

static void turn(const char *layer, int on) {
  char name[256];
  int index, count, provided;
  MPI_T_cvar_handle handle;
  snprintf(name, sizeof name, "%s_active", layer);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) printf("no variable %s\n", name), exit(1);
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  if (MPI_T_cvar_write(handle, &on) != MPI_SUCCESS) printf("%s refuses %d\n", name, on), exit(1);
  MPI_T_cvar_handle_free(&handle);  // no MPI_T_finalize: MPICH 4.0.2 crashes when MPI_T is used again after it
}

static void step(const char *word) {
  const char *value = strchr(word, '=');
  const size_t length = value == NULL ? strlen(word) : (size_t)(value - word);
  value = value == NULL ? "" : value + 1;
  const int number = atoi(value);
  int size;
#define IS(name) (length == sizeof(name) - 1 && strncmp(word, name, length) == 0)
  if (IS("begin")) MPI_Pcontrol(CAIRN_REGION_BEGIN, value);
  if (IS("end")) MPI_Pcontrol(CAIRN_REGION_END, value);
  if (IS("kill")) die();
  if (IS("rank")) ask_ranks(MPI_COMM_WORLD, number);
  if (IS("self")) ask_ranks(MPI_COMM_SELF, number);
  if (IS("named")) ask_ranks(current, number);
  if (IS("dup")) MPI_Comm_dup(MPI_COMM_WORLD, &current);
  if (IS("dup") || IS("rename")) MPI_Comm_set_name(current, value);
  if (IS("free")) MPI_Comm_free(&current);
  if (IS("pcontrol")) MPI_Pcontrol(number, "more", 2.5);
  if (IS("on") || IS("off")) turn(value, IS("on"));
  if (IS("signal")) raise(number == 1 ? SIGUSR1 : SIGUSR2);
  if (IS("seen") || IS("unseen")) ask(IS("seen"));
  if (IS("exit")) exit(0);
  if (IS("fork")) fork_child();
  if (IS("size"))
    for (int i = 0; i < number; ++i) MPI_Comm_size(MPI_COMM_WORLD, &size);
}

int main(int argc, char **argv) {
  int provided;
  int first = 1;
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc > first && strcmp(argv[first], "handler") == 0) signal(SIGUSR2, handle), ++first;
  if (argc > first && strcmp(argv[first], "init_thread") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided), ++first;
  else MPI_Init(&argc, &argv);
  for (int i = first; i < argc; ++i) step(argv[i]);
  MPI_Finalize();
  if (handled > 0) printf("handled %d\n", (int)handled);
  return 0;
}
