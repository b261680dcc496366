// SPDX-License-Identifier: BSD-3-Clause
// hang.c - programs that hang, one for each common mistake: what `cairn where` makes of them
//
//   mpirun -n 4 cairn run --tools where hang KIND
//
//   deadlock    two ranks receive from each other before either sends
//   missing     one rank leaves out a barrier and goes on to MPI_Finalize
//   function    one rank calls another collective function
//   duplicate   the same on a duplicate of MPI_COMM_WORLD, made by MPI_Comm_idup
//   root        one rank names another root
//   count       one rank passes another count to MPI_Allreduce
//   tag         a message is sent with one tag and received with another
//   loop        one rank never comes out of a loop
//   asleep      one rank waits for ever for something else than MPI
//   finished    a rank waits for a message from one that is in MPI_Finalize
//   ring        all ranks send to their right with MPI_Ssend before they receive
//   poll        one rank asks for ever for a message that nobody sends
//   fence       one rank leaves out MPI_Win_fence
//   post        one rank accesses a window whose target never calls MPI_Win_post
//   complete    one rank waits for an access to its window that is never completed
//   lock        one rank computes for ever while it holds the lock of a window
//   killed      one rank is killed while the others wait for it
//   late        one rank never calls MPI_Init
//   gone        one rank ends without having called it
//   hidden      nothing wrong: one rank overwrites its environment, as some programs do, and comes late to MPI_Init
//   slow        nothing wrong: one rank computes for a while
//   reads       nothing wrong: one rank reads for a while, as from a slow file system
//   fine        nothing wrong
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int rank, size;
static int value[4];

static int deadlock(void) {
  const int other = rank ^ 1;
  if (other >= size) return 0;
  MPI_Recv(value, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(value, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
  return 0;
}

static int missing(void) {
  if (rank != size - 1) MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int function(void) {
  if (rank == size - 1) MPI_Barrier(MPI_COMM_WORLD);
  else MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int duplicate(void) {
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == size - 1) MPI_Barrier(copy);
  else MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_SUM, copy);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  return 0;
}

static int root(void) {
  static char large[1 << 20];
  MPI_Bcast(large, sizeof large, MPI_CHAR, rank == size - 1 ? size - 1 : 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int count(void) {
  static char large[1 << 20];
  MPI_Allreduce(MPI_IN_PLACE, large, rank == size - 1 ? 1 << 10 : 1 << 20, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int tag(void) {
  if (rank == 0) MPI_Send(value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int loop(void) {
  volatile int done = 0;
  if (rank == size - 1)
    while (!done) value[1]++;
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int asleep(void) {
  if (rank == size - 1)
    for (;;) pause();
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int finished(void) {
  if (rank == 0) MPI_Recv(value, 1, MPI_INT, size - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return 0;
}

static int ring(void) {
  MPI_Ssend(value, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD);
  MPI_Recv(value, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return 0;
}

static int poll(void) {
  int flag = 0;
  if (rank == 0)
    while (!flag) MPI_Iprobe(size - 1, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static MPI_Win make_window(void) {
  MPI_Win window;
  MPI_Win_create(value, sizeof value, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  return window;
}

static MPI_Group group_of(int one) {
  MPI_Group all, group;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &one, &group);
  MPI_Group_free(&all);
  return group;
}

static int fence(void) {
  MPI_Win window = make_window();
  MPI_Win_fence(0, window);
  if (rank != size - 1) MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  return 0;
}

static int post(void) {
  MPI_Win window = make_window();
  if (rank == 0) {
    MPI_Win_start(group_of(1), 0, window);
    MPI_Win_complete(window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int complete(void) {
  MPI_Win window = make_window();
  if (rank == 0) {
    MPI_Win_post(group_of(1), 0, window);
    MPI_Win_wait(window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int lock(void) {
  volatile int done = 0;
  MPI_Win window = make_window();
  if (rank == size - 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1)
    while (!done) value[1]++;
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int killed(void) {
  if (rank == size - 1) {
    sleep(1);
    raise(SIGKILL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

/// By the launcher's word, before MPI has started.
static int is_second(void) {
  const char* number = getenv("OMPI_COMM_WORLD_RANK");
  if (number == NULL) number = getenv("PMI_RANK");
  return number != NULL && atoi(number) == 1;
}

/// What others see of the environment lies where the program found it.
static void hide(void) {
  char* const first = environ[0];
  size_t length = 0;
  for (char** one = environ; *one != NULL; ++one) {
    if (*one == first + length) length += strlen(*one) + 1;
    *one = strdup(*one);
  }
  memset(first, 0, length);
  sleep(3);
}

static int slow(void) {
  const double end = MPI_Wtime() + 4;
  if (rank == size - 1)
    while (MPI_Wtime() < end) value[1]++;
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int reads(void) {
  if (rank == size - 1) {
    unsigned long long times = 0;
    const struct itimerspec later = {.it_value = {.tv_sec = 3}};
    const int slow_file = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(slow_file, 0, &later, NULL);
    if (read(slow_file, &times, sizeof times) < 0) return 1;
    close(slow_file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int fine(void) { return MPI_Barrier(MPI_COMM_WORLD); }

static const struct {
  const char* name;
  int (*run)(void);
} kinds[] = {{"deadlock", deadlock}, {"missing", missing},   {"function", function}, {"duplicate", duplicate},
             {"root", root},         {"count", count},       {"tag", tag},           {"loop", loop},
             {"finished", finished}, {"ring", ring},         {"poll", poll},         {"fence", fence},
             {"post", post},         {"complete", complete}, {"lock", lock},         {"killed", killed},
             {"slow", slow},         {"reads", reads},       {"late", fine},         {"gone", fine},
             {"hidden", fine},       {"asleep", asleep},     {"fine", fine}};

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "late") == 0 && is_second())
    for (;;) pause();
  if (argc == 2 && strcmp(argv[1], "gone") == 0) {
    if (is_second()) return 0;
    sleep(2);  // Open MPI's mpirun ends the job itself if one rank ends after another has come to MPI_Init
  }
  if (argc == 2 && strcmp(argv[1], "hidden") == 0 && is_second()) hide();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; argc == 2 && i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(kinds[i].name, argv[1]) == 0) {
      const int code = kinds[i].run();
      MPI_Finalize();
      return code;
    }
  if (rank == 0) fprintf(stderr, "usage: hang KIND (the kinds are at the top of hang.c)\n");
  MPI_Finalize();
  return 2;
}
