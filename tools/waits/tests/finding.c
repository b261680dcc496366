/* SPDX-License-Identifier: BSD-3-Clause */
/* finding.c - ways to wait that are no plain receive or collective call: messages found before they are received, tests
   again and again, roots in another group, persistent collective calls. Its first argument says which. In each of ten steps
   one rank comes 40 ms late. */

#include <mpi.h>
#include <pthread.h>
#include <string.h>

#include "work.h"

#if MPI_VERSION >= 4
#define Bcast_init MPI_Bcast_init
#else /* an extension of Open MPI 4 */
#include <mpi-ext.h>
#define Bcast_init MPIX_Bcast_init
#endif

enum { steps = 10 };

static int rank;
static double buffer[8], other[8];
static const struct timespec rest = {0, 1000000};

/* The first of two messages with one tag is found, the second one received, then the first one. */
static void matched(int is_nonblocking) {
  MPI_Message message;
  MPI_Request request;
  if (rank == 1) {
    work(40);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD); /* late send */
    work(20);
    MPI_Send(buffer, 2, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD); /* second send */
  } else if (rank == 0) {
    MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);           /* found */
    MPI_Recv(other, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* second receive */
    if (is_nonblocking) {
      MPI_Imrecv(buffer, 1, MPI_DOUBLE, &message, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Mrecv(buffer, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    }
  }
}

/* As mpi4py receives what it has found. */
static void found_then_matched(void) {
  MPI_Message message;
  int is_there = 0;
  if (rank == 1) {
    work(40);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
  } else if (rank == 0) {
    while (!is_there) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE); /* found first */
    MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(buffer, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  }
}

/* Each message is found twice before it is received. */
static void twice(void) {
  if (rank == 1) {
    work(40);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD); /* late send */
  } else if (rank == 0) {
    MPI_Probe(1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* found */
    MPI_Probe(1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(buffer, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Two messages with one tag are found, and received the other way round. */
static void reversed(void) {
  MPI_Message first, second;
  if (rank == 1) {
    work(40);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD); /* late send */
    MPI_Send(buffer, 2, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Mprobe(1, 5, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE); /* found */
    MPI_Mprobe(1, 5, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE);
    MPI_Mrecv(other, 2, MPI_DOUBLE, &second, MPI_STATUS_IGNORE);
    MPI_Mrecv(buffer, 1, MPI_DOUBLE, &first, MPI_STATUS_IGNORE);
  }
}

/* Found messages are received into too little space, and their handles come again. */
static void truncated(void) {
  MPI_Message message;
  if (rank == 1) {
    work(40);
    MPI_Send(buffer, 2, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD); /* late send */
  } else if (rank == 0) {
    MPI_Mprobe(1, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE); /* found */
    MPI_Mrecv(other, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  }
}

/* Asks for a message again and again, and receives another one first. */
static void asked(void) {
  int is_there = 0;
  if (rank == 1) {
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD);
    work(40);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD); /* late send */
  } else if (rank == 0) {
    while (!is_there) MPI_Iprobe(1, 5, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE); /* found */
    MPI_Recv(other, 1, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(buffer, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Asks for two messages and for a third one that never comes, in turn. */
static void in_turn(void) {
  MPI_Request requests[2];
  int is_there[3] = {0, 0, 0};
  if (rank == 1) {
    work(40);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Irecv(buffer, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(other, 1, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD, &requests[1]);
    while (!is_there[0] || !is_there[1]) {
      for (int i = 0; i < 2; ++i)
        if (!is_there[i]) MPI_Test(&requests[i], &is_there[i], MPI_STATUS_IGNORE); /* in turn */
      MPI_Iprobe(1, 7, MPI_COMM_WORLD, &is_there[2], MPI_STATUS_IGNORE);
    }
  }
}

static void* compute_in_thread(void* nothing) {
  compute(1);
  return nothing;
}

/* As with worker threads, for which the one that communicates waits. */
static void have_computed(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, compute_in_thread, NULL);
  pthread_join(worker, NULL);
}

/* Looks now and then whether the message has come, and works meanwhile, itself or by another thread, or not. */
static void working(const char* how) {
  MPI_Request request;
  int is_there = 0;
  if (rank == 1) {
    work(40);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Irecv(buffer, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, &request);
    while (!is_there) {
      if (strcmp(how, "asleep") == 0) nanosleep(&rest, NULL);
      else if (strcmp(how, "working") == 0) compute(1);
      else have_computed();
      MPI_Test(&request, &is_there, MPI_STATUS_IGNORE); /* between rests */
    }
  }
}

/* Looks for the message and for another one that never comes. */
static void asleep_in_turn(void) {
  int is_there = 0, is_other;
  if (rank == 1) {
    work(40);
    MPI_Send(buffer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
  } else if (rank == 0) {
    while (!is_there) {
      MPI_Iprobe(1, 6, MPI_COMM_WORLD, &is_other, MPI_STATUS_IGNORE);
      nanosleep(&rest, NULL);
      MPI_Iprobe(1, 5, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE); /* found asleep */
    }
    MPI_Recv(buffer, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static MPI_Comm groups; /* rank 0, and the others */

static void broadcast(void) {
  if (rank == 0) work(40);
  MPI_Bcast(buffer, 8, MPI_DOUBLE, rank == 0 ? MPI_ROOT : 0, groups); /* broadcast */
}

/* The root is one of the others, and the one of them that is late has no part in it. */
static void reduction(void) {
  work(rank == 0 ? 40 : rank == 2 ? 120 : 1);
  const int root = rank == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Reduce(buffer, other, 8, MPI_DOUBLE, MPI_SUM, root, groups); /* reduction */
}

static MPI_Request persistent;

static void restarted(void) {
  if (rank == 0) work(40);
  MPI_Start(&persistent);                   /* start */
  MPI_Wait(&persistent, MPI_STATUS_IGNORE); /* wait */
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  MPI_Comm own;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank != 0, 0, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 1, &groups);
  const int is_restarted = strcmp(what, "restarted") == 0;
  if (is_restarted) Bcast_init(buffer, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < steps; ++step) {
    if (strcmp(what, "matched") == 0) matched(0);
    if (strcmp(what, "matched later") == 0) matched(1);
    if (strcmp(what, "twice") == 0) twice();
    if (strcmp(what, "found then matched") == 0) found_then_matched();
    if (strcmp(what, "reversed") == 0) reversed();
    if (strcmp(what, "truncated") == 0) truncated();
    if (strcmp(what, "asked") == 0) asked();
    if (strcmp(what, "in turn") == 0) in_turn();
    if (strcmp(what, "working") == 0 || strcmp(what, "worker") == 0 || strcmp(what, "asleep") == 0) working(what);
    if (strcmp(what, "asleep in turn") == 0) asleep_in_turn();
    if (strcmp(what, "broadcast") == 0) broadcast();
    if (strcmp(what, "reduction") == 0) reduction();
    if (is_restarted) restarted();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is_restarted) MPI_Request_free(&persistent);
  MPI_Comm_free(&groups);
  MPI_Comm_free(&own);
  tell_work();
  MPI_Finalize();
  return 0;
}
