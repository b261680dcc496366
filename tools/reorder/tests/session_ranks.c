// SPDX-License-Identifier: BSD-3-Clause
// session_ranks.c - looks at the ranks of a program that begins with a session
//
//   session_ranks STEPS RANK...    the rank that each process should have, in the order in which they were started
//
//   o  opens a session      s  looks at its groups and at what is made of them      c  finalizes the oldest
//   i, f  MPI_Init, MPI_Finalize      w  looks at MPI_COMM_WORLD      t  makes a line of four that may be reordered
//
// Each process prints "NEW of OLD: ok", or what is wrong; after a `t`, its rank in the line as well.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Session sessions[8];
static int opened, closed, wanted, count, errors;

static void check(int good, const char *what) {
  if (!good) printf("rank %d: %s\n", wanted, what);
  errors += !good;
}

static void check_comm(MPI_Comm comm, const char *what) {
  int rank = -1, size = -1, right = (wanted + 1) % count, left = (wanted + count - 1) % count, got = -1;
  MPI_Status status;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  check(rank == wanted && size == count, what);
  MPI_Sendrecv(&wanted, 1, MPI_INT, right, 5, &got, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, &status);
  check(got == left && status.MPI_SOURCE == left, "a message from the left");
}

static MPI_Comm comm_of(MPI_Group group, const char *tag) {
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm) == MPI_SUCCESS, tag);
  return comm;
}

static void look_at_session(MPI_Session session) {
  MPI_Group group, first, self;
  MPI_Comm comm;
  int rank = -1, range[1][3] = {{0, 1, 1}};
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Group_rank(group, &rank);
  check(rank == wanted, "the rank in a session's group");
  comm = comm_of(group, "all");
  check_comm(comm, "the rank in a communicator of it");
  MPI_Comm_free(&comm);
  MPI_Group_range_incl(group, 1, range, &first);
  MPI_Group_rank(first, &rank);
  check(rank == (wanted < 2 ? wanted : MPI_UNDEFINED), "the rank among the first two");
  if (wanted < 2) {
    comm = comm_of(first, "two");
    MPI_Comm_rank(comm, &rank);
    check(rank == wanted, "the rank in a communicator of the first two");
    MPI_Comm_free(&comm);
  }
  MPI_Group_from_session_pset(session, "mpi://SELF", &self);
  MPI_Group_rank(self, &rank);
  check(rank == 0, "the rank in the group of one");
  MPI_Group_free(&self);
  MPI_Group_free(&first);
  MPI_Group_free(&group);
}

static void make_line(MPI_Session session) {
  MPI_Group group;
  MPI_Comm comm, line;
  int period = 0, rank;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  comm = comm_of(group, "line");
  MPI_Cart_create(comm, 1, &count, &period, 1, &line);
  MPI_Comm_rank(line, &rank);
  printf("%d of %d\n", rank, wanted);
  MPI_Comm_free(&line);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
}

static void step(char letter) {
  switch (letter) {
    case 'o':
      MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &sessions[opened++]);
      break;
    case 's':
      look_at_session(sessions[closed]);
      break;
    case 't':
      make_line(sessions[closed]);
      break;
    case 'w':
      check_comm(MPI_COMM_WORLD, "the rank in MPI_COMM_WORLD");
      break;
    case 'c':
      MPI_Session_finalize(&sessions[closed++]);
      break;
    case 'i':
      MPI_Init(NULL, NULL);
      break;
    default:
      MPI_Finalize();
  }
}

int main(int argc, char **argv) {
  const char *const launched = getenv("PMI_RANK");
  const int process = launched ? atoi(launched) : 0;
  count = argc - 2;
  wanted = atoi(argv[2 + process]);
  for (const char *letter = argv[1]; *letter != '\0'; ++letter) step(*letter);
  if (errors == 0) printf("%d of %d: ok\n", wanted, process);
  return errors != 0;
}
