/* SPDX-License-Identifier: BSD-3-Clause */
/* odd.c - programs of two ranks in which one thing is unusual; the first argument says which:
     quiet    a thread that calls MPI at the start and never again, while the other makes very many calls
     fast     calls that come faster than a late reader (tests/late_reader.c) takes them
     fork     a child that marks regions while its parent waits for it
     test     a region whose work is followed by an MPI_Test that finds nothing
     parts    MPI_Alltoallv 1,500 times: more records if each told of what each process is given
     unread   three messages that nobody receives
     probed   rank 1 waits for a message, finds it, and nobody receives it
     matched  the same with MPI_Mprobe
     exchanged, freed, truncated
              a receive that is hard to count, then 20 messages for which rank 1 waits 25 ms each: by MPI_Isendrecv (MPICH), by
              a request freed before it is complete, of a message that does not fit
     early    one of anything, which takes the first message and is completed after 2,000 others, 1 ms late each
     answered 2,000 messages 1 ms late, asked for before a call of all and completed after it
     handed   rank 1 probes, and another call or thread receives: MPI_Irecv, a persistent receive, a thread, 40 receives
     survived after very many messages a handler leaves abort() by a jump, before as many again
     left     an error handler leaves MPI_Send by a jump, 20 times, before 100 messages
     crowd    rank 0 comes late to an MPI_Barrier on the last of 300 communicators
     turned   100 messages on a communicator in which ranks have each other's number
     unseen   the same on one made by PMPI_Comm_dup, of which no tool hears
     locked   rank 0 has a window's lock while rank 1 waits for it
     killed   both wait, rank 0 in MPI_Recv, rank 1 in MPI_Test, until an alarm ends them after 1 s;
              with another argument, after very many messages */

#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cairn/region.h"

enum { many = 500000, messages = 2000 };

static atomic_int is_over;

static void* call_once_and_rest(void* nothing) {
  int rank, sent = 1, received;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Sendrecv(&sent, 1, MPI_INT, rank, 99, &received, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  while (!is_over) usleep(1000);
  return nothing;
}

/* Of any size, so that there is little to compress. */
static void send_and_meet(int rank, int count) {
  static int values[1024];
  for (int i = 0; i < count; ++i) {
    const int length = (int)((unsigned)i * 2654435761u >> 22);
    if (rank == 0) MPI_Send(values, length, MPI_INT, 1, 1, MPI_COMM_WORLD);
    else MPI_Recv(values, length, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i % 100 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void quiet(int rank) {
  pthread_t thread;
  pthread_create(&thread, NULL, call_once_and_rest, NULL);
  usleep(50000);
  send_and_meet(rank, many);
  is_over = 1;
  pthread_join(thread, NULL);
}

/* Rank 0 waits; as few as a ring of 4096 has room for, a rest in which they are taken, and many. */
static void run_fast(int rank) {
  if (rank == 1) usleep(500000);
  send_and_meet(rank, 500);
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(1500000);
  send_and_meet(rank, 100000);
}

static void fork_and_send(int rank) {
  const pid_t child = rank == 0 ? fork() : -1;
  for (int i = 0; child == 0 && i < 20000; ++i) {
    cairn_region_begin("child");
    cairn_region_end("child");
  }
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, NULL, 0);
  send_and_meet(rank, messages);
}

static void test_in_vain(int rank) {
  int value = 0, is_there;
  if (rank == 0) {
    usleep(400000);
    MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  cairn_region_begin("long");
  usleep(200000);
  MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
  cairn_region_end("long");
  cairn_region_begin("short");
  usleep(20000);
  cairn_region_end("short");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void give_parts(void) {
  int given[2] = {0}, got[2] = {0}, counts[2] = {1, 1}, places[2] = {0, 1};
  for (int i = 0; i < 1500; ++i)
    MPI_Alltoallv(given, counts, places, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
}

static void send_in_vain(int rank) {
  for (int i = 0; i < 3 && rank == 0; ++i) MPI_Send(&i, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  send_and_meet(rank, 100);
}

static void probe_in_vain(int rank) {
  int value = 0;
  if (rank == 0) usleep(300000);
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  else MPI_Probe(0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void* receive_probed(void* value) {
  MPI_Recv(value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

static void hand_over(int rank) {
  enum { tags = 40 };
  int value = 0;
  if (rank == 0) {
    for (int tag = 0; tag < 3; ++tag) {
      usleep(100000);
      MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    }
    usleep(100000);
    for (int tag = 0; tag < tags; ++tag) MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request;
  pthread_t thread;
  MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pthread_create(&thread, NULL, receive_probed, &value);
  pthread_join(thread, NULL);
  for (int tag = 0; tag < tags; ++tag) MPI_Probe(0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int tag = 0; tag < tags; ++tag) MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static sigjmp_buf before_end;

static void go_on(int number) {
  (void)number;
  siglongjmp(before_end, 1);
}

static void survive(int rank) {
  send_and_meet(rank, many);
  signal(SIGABRT, go_on);
  if (rank == 1 && sigsetjmp(before_end, 1) == 0) abort();
  send_and_meet(rank, many);
  usleep(1500000);
}

static jmp_buf before_error;

static void leave(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  longjmp(before_error, 1);
}

static void leave_and_send(int rank) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (volatile int i = 0; i < 20; ++i)
    if (setjmp(before_error) == 0) MPI_Send(NULL, 0, MPI_INT, 7, 0, MPI_COMM_WORLD);
  send_and_meet(rank, 100);
}

static void meet_in_a_crowd(int rank) {
  enum { count = 300 };
  MPI_Comm all[count];
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &all[i]);
  if (rank == 0) usleep(300000);
  MPI_Barrier(all[count - 1]);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&all[i]);
}

static void meet_unseen(int rank) {
  MPI_Comm own;
  PMPI_Comm_dup(MPI_COMM_WORLD, &own);
  if (rank == 0) usleep(300000);
  MPI_Barrier(own);
  MPI_Comm_free(&own);
}

static void lock(int rank) {
  int *memory, value = 1;
  MPI_Win window;
  MPI_Win_allocate(sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) usleep(100000);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_flush(0, window);
  if (rank == 0) usleep(400000);
  MPI_Win_unlock(0, window);
  MPI_Win_free(&window);
}

static void wait_for_alarm(int rank, int before) {
  int value, is_there = 0;
  MPI_Request request;
  send_and_meet(rank, before);
  alarm(1);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
  while (!is_there) MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
}

static void send_turned(int rank) {
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  for (int i = 0, data = 0; i < 100; ++i) {
    if (rank == 0) MPI_Send(&data, 1, MPI_INT, 0, 0, turned);
    else MPI_Recv(&data, 1, MPI_INT, 1, 0, turned, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&turned);
}

static void send_late(int rank, int count, unsigned microseconds, int meet) {
  for (int i = 0, data = 0; i < count; ++i) {
    if (rank == 0) usleep(microseconds);
    if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    else MPI_Recv(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (meet) MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void probe_in_vain_matched(int rank) {
  int data = 0;
  MPI_Message message;
  if (rank == 0) usleep(300000);
  if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  else MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
}

/* Open MPI 4.1.4 does not have it. */
static void exchange(int rank) {
#if MPI_VERSION >= 4
  int sent = 0, received;
  MPI_Request request;
  if (rank == 0) {
    MPI_Isendrecv(&sent, 1, MPI_INT, 1, 3, &received, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(&sent, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Recv(&received, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
#endif
  send_late(rank, 20, 25000, 0);
}

static void free_active(int rank) {
  static int data;
  MPI_Request request;
  if (rank == 1) {
    MPI_Irecv(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  send_late(rank, 20, 25000, 0);
}

static void truncate_one(int rank) {
  int data[4] = {0};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, MPI_COMM_WORLD);
  else MPI_Recv(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  send_late(rank, 20, 25000, 0);
}

static void ask_early(int rank) {
  int data = 0;
  MPI_Request request;
  if (rank == 1) MPI_Irecv(&data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  send_late(rank, 2000, 1000, 1);
  if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void answer_before_a_meeting(int rank) {
  for (int i = 0, data = 0; i < 2000; ++i) {
    MPI_Request request;
    if (rank == 1) MPI_Irecv(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    if (rank == 0) usleep(1000);
    if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int provided, rank;
  /* MPICH's locks do not survive a jump out of a call. */
  MPI_Init_thread(&argc, &argv, strcmp(argv[1], "left") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "quiet") == 0) quiet(rank);
  if (strcmp(argv[1], "fast") == 0) run_fast(rank);
  if (strcmp(argv[1], "fork") == 0) fork_and_send(rank);
  if (strcmp(argv[1], "test") == 0) test_in_vain(rank);
  if (strcmp(argv[1], "parts") == 0) give_parts();
  if (strcmp(argv[1], "unread") == 0) send_in_vain(rank);
  if (strcmp(argv[1], "probed") == 0) probe_in_vain(rank);
  if (strcmp(argv[1], "matched") == 0) probe_in_vain_matched(rank);
  if (strcmp(argv[1], "exchanged") == 0) exchange(rank);
  if (strcmp(argv[1], "freed") == 0) free_active(rank);
  if (strcmp(argv[1], "truncated") == 0) truncate_one(rank);
  if (strcmp(argv[1], "early") == 0) ask_early(rank);
  if (strcmp(argv[1], "answered") == 0) answer_before_a_meeting(rank);
  if (strcmp(argv[1], "handed") == 0) hand_over(rank);
  if (strcmp(argv[1], "survived") == 0) survive(rank);
  if (strcmp(argv[1], "left") == 0) leave_and_send(rank);
  if (strcmp(argv[1], "crowd") == 0) meet_in_a_crowd(rank);
  if (strcmp(argv[1], "turned") == 0) send_turned(rank);
  if (strcmp(argv[1], "unseen") == 0) meet_unseen(rank);
  if (strcmp(argv[1], "locked") == 0) lock(rank);
  if (strcmp(argv[1], "killed") == 0) wait_for_alarm(rank, argc > 2 ? many : 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
