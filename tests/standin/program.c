// SPDX-License-Identifier: BSD-3-Clause
// program.c - a program of one process that uses most of the stand-in library and prints what it got.
//
// Calls, besides MPI_Finalize: Init 1, Initialized 2, Comm_rank 1, Comm_size 1, Send 2, Recv 1, Irecv 1, Wait 1,
// Sendrecv 1, Bcast 1, Barrier 1, Allreduce 2, Op_create 1, Op_free 1, Comm_dup 1, Comm_free 1, Type_size 1,
// Get_version 1, Abi_get_version 1, Wtime 2, Finalized 1. With the argument "pcontrol", MPI_Pcontrol is the first call
// of all, with more arguments than there are registers for.

#include <mpi.h>

#include <stdio.h>
#include <string.h>

static void speak_before_init(void) {
  MPI_Pcontrol(3, 10, 1, 1.5, -2, 2.5, 3, -3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 2147483647, 1e300,
               "end");
}

static void send_to_itself(int rank) {
  int out[2] = {42, 43};
  int in[2] = {0, 0};
  int more = 0;
  MPI_Status status;
  MPI_Request request;
  MPI_Send(out, 2, MPI_INT, rank, 7, MPI_COMM_WORLD);
  MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  printf("received %d %d from %d with tag %d\n", in[0], in[1], status.MPI_SOURCE, status.MPI_TAG);
  MPI_Irecv(in, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &request);
  MPI_Send(out + 1, 1, MPI_INT, rank, 8, MPI_COMM_WORLD);
  const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 1, MPI_INT, rank, 9, &more, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("received %d (code %d, request %s) and %d\n", in[0], code, request == MPI_REQUEST_NULL ? "gone" : "left",
         more);
}

static void add(void *in, void *in_out, int *length, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int *)in_out)[i] += ((int *)in)[i];
}

static void do_collectives(void) {
  double values[2] = {0.5, 0.25};
  int value = 3;
  int result = 0;
  MPI_Op op;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Op_create(add, 1, &op);
  MPI_Bcast(&value, 1, MPI_INT, 0, comm);
  MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(&value, &result, 1, MPI_INT, op, comm);
  MPI_Barrier(comm);
  MPI_Op_free(&op);
  MPI_Comm_free(&comm);
  printf("sums %g %g %d\n", values[0], values[1], result);
}

int main(int argc, char **argv) {
  int before = -1, within = -1, after = -1, rank = -1, size = -1, version = 0, subversion = -1, major = 0, minor = -1;
  int bytes = 0;
  if (argc > 1 && strcmp(argv[1], "pcontrol") == 0) speak_before_init();
  MPI_Initialized(&before);
  MPI_Init(&argc, &argv);
  MPI_Initialized(&within);
  const double start = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_version(&version, &subversion);
  MPI_Abi_get_version(&major, &minor);
  MPI_Type_size(MPI_DOUBLE, &bytes);
  printf("rank %d of %d, MPI %d.%d, ABI %d.%d, initialized %d then %d, a double has %d bytes\n", rank, size, version,
         subversion, major, minor, before, within, bytes);
  send_to_itself(rank);
  do_collectives();
  const double elapsed = MPI_Wtime() - start;
  printf("time passed %s\n", elapsed >= 0 && elapsed < 1000 ? "well" : "oddly");
  const int code = MPI_Finalize();
  MPI_Finalized(&after);
  printf("finalized %d with code %d\n", after, code);
  return 0;
}
