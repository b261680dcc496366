// SPDX-License-Identifier: BSD-3-Clause
// calls_null_like_errors.c - wrong arguments whose error classes must come back through any stack.
//
// Works with any number of ranks. Calls of every rank, the eight wrong ones included:
//   Init 1, Comm_set_errhandler 1, Comm_rank 1, Comm_size 1, Send 5, Recv 1, Bcast 1,
//   Comm_get_name 1, Error_class 8, Allreduce 1, Finalize 1
// Bytes of every rank: 4 bytes into Allreduce, no messages.
// Prints the class by name: the numbers behind the names differ between MPI libraries.

#include <mpi.h>

#include <stdio.h>

typedef struct {
  const char *what;
  int expected;
  int code;
} Attempt;

enum { ATTEMPTS = 8 };

static const char *class_name(int error_class) {
  switch (error_class) {
    case MPI_SUCCESS:
      return "MPI_SUCCESS";
    case MPI_ERR_BUFFER:
      return "MPI_ERR_BUFFER";
    case MPI_ERR_COUNT:
      return "MPI_ERR_COUNT";
    case MPI_ERR_TYPE:
      return "MPI_ERR_TYPE";
    case MPI_ERR_TAG:
      return "MPI_ERR_TAG";
    case MPI_ERR_COMM:
      return "MPI_ERR_COMM";
    case MPI_ERR_RANK:
      return "MPI_ERR_RANK";
    case MPI_ERR_ROOT:
      return "MPI_ERR_ROOT";
    case MPI_ERR_ARG:
      return "MPI_ERR_ARG";
    default:
      return "another class";
  }
}

// Every call is wrong in one argument and right in all others; each fails on all ranks alike and
// before anything is sent.
static void make_attempts(int rank, int size, Attempt attempts[ATTEMPTS]) {
  const MPI_Comm world = MPI_COMM_WORLD;
  int value = 0;
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  Attempt *a = attempts;
  *a++ = (Attempt){"Send to a rank that is none", MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, size + 5, 0, world)};
  *a++ = (Attempt){"Send with a negative tag", MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, rank, -5, world)};
  *a++ = (Attempt){"Send with a negative count", MPI_ERR_COUNT, MPI_Send(&value, -1, MPI_INT, rank, 0, world)};
  *a++ = (Attempt){"Send with MPI_DATATYPE_NULL", MPI_ERR_TYPE, MPI_Send(&value, 1, MPI_DATATYPE_NULL, rank, 0, world)};
  *a++ = (Attempt){"Send on MPI_COMM_NULL", MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, rank, 0, MPI_COMM_NULL)};
  *a++ = (Attempt){"Recv from a rank that is none", MPI_ERR_RANK,
                   MPI_Recv(&value, 1, MPI_INT, size + 5, 0, world, MPI_STATUS_IGNORE)};
  *a++ = (Attempt){"Bcast from a root that is none", MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, size + 5, world)};
  *a++ = (Attempt){"Comm_get_name of MPI_COMM_NULL", MPI_ERR_COMM, MPI_Comm_get_name(MPI_COMM_NULL, name, &length)};
}

static int count_unexpected(const Attempt attempts[ATTEMPTS], int rank) {
  int unexpected = 0;
  for (int i = 0; i < ATTEMPTS; ++i) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(attempts[i].code, &error_class);
    unexpected += error_class != attempts[i].expected;
    if (rank == 0) printf("%s: %s\n", attempts[i].what, class_name(error_class));
  }
  return unexpected;
}

int main(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  int all_unexpected = 0;
  Attempt attempts[ATTEMPTS];
  MPI_Init(&argc, &argv);
  // Errors on MPI_COMM_NULL also arrive here: MPI reports them on MPI_COMM_WORLD.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  make_attempts(rank, size, attempts);
  const int unexpected = count_unexpected(attempts, rank);
  MPI_Allreduce(&unexpected, &all_unexpected, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s calls_null_like_errors: %d ranks, %d errors as expected, %d not\n", all_unexpected == 0 ? "ok" : "wrong",
           size, ATTEMPTS * size - all_unexpected, all_unexpected);
  MPI_Finalize();
  return all_unexpected == 0 ? 0 : 1;
}
