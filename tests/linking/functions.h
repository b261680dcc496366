// SPDX-License-Identifier: BSD-3-Clause
// functions.h - the MPI functions that the test programs call, as lists: X(name, parameters, arguments) for each.
//
// All have the same C signature in every MPI of version 3 or later. MPI_Finalize is not here: there a tool reports.
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <mpi.h>

#define SEND(X)                                                                                 \
  X(Send, (const void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm), \
    (buffer, count, type, rank, tag, comm))
#define RECV(X)                                                                                               \
  X(Recv, (void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Status *status), \
    (buffer, count, type, rank, tag, comm, status))
#define BCAST(X) \
  X(Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), (buffer, count, type, root, comm))
#define BARRIER(X) X(Barrier, (MPI_Comm comm), (comm))
#define COMM_RANK(X) X(Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
#define COMM_SIZE(X) X(Comm_size, (MPI_Comm comm, int *size), (comm, size))

#define OTHER_FUNCTIONS(X)                                                                                       \
  X(Init, (int *argc, char ***argv), (argc, argv))                                                               \
  X(Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided))       \
  X(Initialized, (int *flag), (flag))                                                                            \
  X(Irecv, (void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request), \
    (buffer, count, type, rank, tag, comm, request))                                                             \
  X(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))                       \
  X(Wait, (MPI_Request * request, MPI_Status * status), (request, status))                                       \
  X(Sendrecv,                                                                                                    \
    (const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,         \
     MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status),                             \
    (out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status))                  \
  X(Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),              \
    (in, out, count, type, op, comm))                                                                            \
  X(Op_create, (MPI_User_function * function, int commutes, MPI_Op *op), (function, commutes, op))               \
  X(Op_free, (MPI_Op * op), (op))                                                                                \
  X(Comm_dup, (MPI_Comm comm, MPI_Comm * copy), (comm, copy))                                                    \
  X(Comm_free, (MPI_Comm * comm), (comm))

#define FUNCTIONS(X) SEND(X) RECV(X) BCAST(X) BARRIER(X) COMM_RANK(X) COMM_SIZE(X) OTHER_FUNCTIONS(X)

#endif
