// SPDX-License-Identifier: BSD-3-Clause
// actions.c - a little of everything, on two ranks, always the same. `actions N`: then rank 0 sends N messages to nobody.
// MPI_Pcontrol(0) lies before and MPI_Pcontrol(1) behind what is done together.
// `actions irregular N`: N messages no two of which are alike.
// `actions cancel`: nothing but a receive that is cancelled. `actions until FILE`: it does so until the file is large, and kills itself.
// `actions overrun N`: as irregular, and kills itself; `actions anew N`: so do N communicators and datatypes, one after the other;
// `actions held N`: all at once. `actions beyond FILE`: as irregular, until the file is at its limit, then on, and kills itself.
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, other;

static void messages(void) {
  int value = rank;
  int values[4] = {0};
  if (rank == 0) {
    MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    MPI_Datatype three;
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&three);
    MPI_Ssend(values, 1, three, 1, 8, MPI_COMM_WORLD);
    MPI_Type_free(&three);
  } else {
    MPI_Recv(values, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(values, 4, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Sendrecv(&value, 1, MPI_INT, other, 1 + rank, values, 1, MPI_INT, other, 2 - rank, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void requests(void) {
  double out[2] = {0};
  double in[5] = {0};
  MPI_Request all[3];
  MPI_Irecv(in, 5, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &all[0]);
  MPI_Isend(out, 2, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &all[1]);
  MPI_Ibarrier(MPI_COMM_WORLD, &all[2]);
  MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
  if (rank == 0) MPI_Send_init(out, 1, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, &all[0]);
  else MPI_Recv_init(in, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, &all[0]);
  MPI_Start(&all[0]);
  MPI_Wait(&all[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&all[0]);
}

static void together(void) {
  double in[2] = {0};
  double out[4] = {0};
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &half);
  MPI_Comm_set_name(half, "turned");
  MPI_Bcast(in, 2, MPI_DOUBLE, 0, half);
  MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, half);
  if (rank == 0) MPI_Send(in, 1, MPI_DOUBLE, 0, 5, half);
  else MPI_Recv(in, 1, MPI_DOUBLE, 1, 5, half, MPI_STATUS_IGNORE);
  MPI_Comm_free(&half);
}

static void many(long count) {
  char byte = 0;
  for (long i = 0; i < count; ++i) MPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
}

/// Of sizes and tags without a rule, so that a trace needs several bytes for each.
static void irregular(long count) {
  static char bytes[1 << 12];
  unsigned long any = 1;
  for (long i = 0; i < count; ++i) {
    any = any * 6364136223846793005UL + 1442695040888963407UL;
    MPI_Send(bytes, (int)(any >> 52), MPI_CHAR, MPI_PROC_NULL, (int)(any >> 32 & 0x7fff), MPI_COMM_WORLD);
  }
}

static void overrun(long count) {
  irregular(count);
  kill(getpid(), SIGKILL);
}

/// The status keeps what it had of a message that was received.
static void cancel(void) {
  MPI_Request request;
  MPI_Status status;
  int out = 0, in;
  MPI_Sendrecv(&out, 1, MPI_INT, rank, 6, &in, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &status);
  MPI_Irecv(&in, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
}

/// With pauses in which the tool's thread keeps up.
static void call_until_it_is_large(void (*calls)(long), const char* path, long size) {
  struct stat about = {0};
  while (about.st_size < size) {
    calls(1000);
    usleep(1000);
    stat(path, &about);
  }
}

static void die_when_it_is_large(const char* path) {
  call_until_it_is_large(many, path, 100000);
  kill(getpid(), SIGKILL);
}

/// The limit is the least there is, a megabyte. What comes then is more than a page has room for.
static void die_beyond_the_limit(const char* path) {
  call_until_it_is_large(irregular, path, 1000000);
  overrun(100000);
}

/// Each has the name, the tag and the size of its number.
static void anew(int count, int freed) {
  int* const in = calloc((size_t)count, sizeof *in);
  int* const out = calloc((size_t)count, sizeof *out);
  for (int i = 0; i < count; ++i) {
    char name[32];
    MPI_Comm own;
    MPI_Datatype some;
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    snprintf(name, sizeof name, "number %d", i);
    MPI_Comm_set_name(own, name);
    MPI_Type_contiguous(i + 1, MPI_INT, &some);
    MPI_Type_commit(&some);
    MPI_Sendrecv(out, 1, some, 0, i, in, 1, some, 0, i, own, MPI_STATUS_IGNORE);
    if (!freed) continue;
    MPI_Type_free(&some);
    MPI_Comm_free(&own);
  }
  kill(getpid(), SIGKILL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  if (argc == 2 && strcmp(argv[1], "cancel") == 0) {
    cancel();
    return MPI_Finalize();
  }
  messages();
  requests();
  MPI_Pcontrol(0);
  together();
  MPI_Pcontrol(1);
  if (argc == 2 && rank == 0) many(atol(argv[1]));
  if (argc == 3 && rank == 0) {
    if (strcmp(argv[1], "irregular") == 0) irregular(atol(argv[2]));
    else if (strcmp(argv[1], "overrun") == 0) overrun(atol(argv[2]));
    else if (strcmp(argv[1], "beyond") == 0) die_beyond_the_limit(argv[2]);
    else if (strcmp(argv[1], "anew") == 0) anew(atoi(argv[2]), 1);
    else if (strcmp(argv[1], "held") == 0) anew(atoi(argv[2]), 0);
    else die_when_it_is_large(argv[2]);
  }
  MPI_Finalize();
}
