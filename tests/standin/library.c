// SPDX-License-Identifier: BSD-3-Clause
// library.c - the stand-in MPI library: one process, messages to itself, the standard ABI's names and numbers.
//
// For one thread. Every function is there as PMPI_X and, weak, as MPI_X, as real libraries have them. MPI_Finalize
// calls MPI_Barrier by name: a call of the library's own, which no tool may see. MPI_Pcontrol prints its arguments:
//   level 3: (int count, then count times int and double, then const char *); other levels have no arguments.

#include <mpi.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALSO_AS_MPI(name) __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)))

enum { before_init, between, after_finalize };
static int state = before_init;

struct Message {
  struct Message *next;
  MPI_Comm comm;
  int tag;
  size_t size;
  char bytes[];
};

// A receive that waits for its message, or whose message came.
struct MPI_ABI_Request {
  struct MPI_ABI_Request *next;
  MPI_Comm comm;
  int tag;
  size_t room;
  char *buffer;
  bool done;
  MPI_Status status;
};

struct MPI_ABI_Comm {
  int unused;
};

struct MPI_ABI_Op {
  MPI_User_function *function;
};

static struct Message *messages = NULL;
static struct MPI_ABI_Request *receives = NULL;

static size_t size_of(MPI_Datatype type) {
  switch ((uintptr_t)type) {
    case (uintptr_t)MPI_CHAR:
    case (uintptr_t)MPI_BYTE:
      return 1;
    case (uintptr_t)MPI_INT:
    case (uintptr_t)MPI_INTEGER:
    case (uintptr_t)MPI_INT32_T:
    case (uintptr_t)MPI_FLOAT:
      return 4;
    case (uintptr_t)MPI_LONG:
    case (uintptr_t)MPI_UNSIGNED_LONG:
    case (uintptr_t)MPI_INT64_T:
    case (uintptr_t)MPI_UINT64_T:
    case (uintptr_t)MPI_DOUBLE_PRECISION:
    case (uintptr_t)MPI_DOUBLE:
      return 8;
    default:
      return 0;
  }
}

// Starting and ending

int PMPI_Init(int *argc, char ***argv) {
  (void)argc, (void)argv;
  state = between;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Init);

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  *provided = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_FUNNELED;
  return PMPI_Init(argc, argv);
}
ALSO_AS_MPI(Init_thread);

int PMPI_Initialized(int *flag) {
  *flag = state != before_init;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Initialized);

int PMPI_Finalize(void) {
  const int code = MPI_Barrier(MPI_COMM_WORLD);
  state = after_finalize;
  return code;
}
ALSO_AS_MPI(Finalize);

int PMPI_Finalized(int *flag) {
  *flag = state == after_finalize;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Finalized);

int PMPI_Abort(MPI_Comm comm, int code) {
  (void)comm;
  _Exit(code);
}
ALSO_AS_MPI(Abort);

int PMPI_Pcontrol(const int level, ...) {
  printf("pcontrol %d", level);
  if (level == 3) {
    va_list values;
    va_start(values, level);
    const int count = va_arg(values, int);
    for (int i = 0; i < count; ++i) {
      const int number = va_arg(values, int);
      printf(" %d:%g", number, va_arg(values, double));
    }
    printf(" %s", va_arg(values, const char *));
    va_end(values);
  }
  printf("\n");
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Pcontrol);

// Communicators

int PMPI_Comm_rank(MPI_Comm comm, int *rank) {
  (void)comm;
  *rank = 0;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Comm_rank);

int PMPI_Comm_size(MPI_Comm comm, int *size) {
  (void)comm;
  *size = 1;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Comm_size);

int PMPI_Group_rank(MPI_Group group, int *rank) {
  (void)group;
  *rank = 0;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Group_rank);

int PMPI_Group_size(MPI_Group group, int *size) {
  (void)group;
  *size = 1;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Group_size);

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy) {
  (void)comm;
  *copy = malloc(sizeof **copy);
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Comm_dup);

int PMPI_Comm_free(MPI_Comm *comm) {
  free(*comm);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Comm_free);

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag) {
  (void)comm;
  *flag = 0;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Comm_test_inter);

int PMPI_Comm_remote_size(MPI_Comm comm, int *size) {
  (void)comm, (void)size;
  return MPI_ERR_ARG;
}
ALSO_AS_MPI(Comm_remote_size);

// Predefined handles are their own numbers; others would need a table, which a stand-in does without.
MPI_Comm PMPI_Comm_fromint(int number) { return (MPI_Comm)(intptr_t)number; }
ALSO_AS_MPI(Comm_fromint);

int PMPI_Comm_toint(MPI_Comm comm) { return (int)(intptr_t)comm; }
ALSO_AS_MPI(Comm_toint);

int PMPI_Topo_test(MPI_Comm comm, int *kind) {
  (void)comm;
  *kind = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Topo_test);

int PMPI_Cartdim_get(MPI_Comm comm, int *dimensions) {
  (void)comm, (void)dimensions;
  return MPI_ERR_ARG;
}
ALSO_AS_MPI(Cartdim_get);

int PMPI_Cart_shift(MPI_Comm comm, int direction, int distance, int *from, int *to) {
  (void)comm, (void)direction, (void)distance, (void)from, (void)to;
  return MPI_ERR_ARG;
}
ALSO_AS_MPI(Cart_shift);

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *count) {
  (void)comm, (void)rank, (void)count;
  return MPI_ERR_ARG;
}
ALSO_AS_MPI(Graph_neighbors_count);

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *in, int *out, int *weighted) {
  (void)comm, (void)in, (void)out, (void)weighted;
  return MPI_ERR_ARG;
}
ALSO_AS_MPI(Dist_graph_neighbors_count);

// Messages to itself

static bool tag_fits(int wanted, int tag) { return wanted == tag || wanted == MPI_ANY_TAG; }

static void complete(struct MPI_ABI_Request *receive, const void *bytes, size_t size, int tag) {
  memcpy(receive->buffer, bytes, size < receive->room ? size : receive->room);
  receive->status = (MPI_Status){.MPI_SOURCE = 0, .MPI_TAG = tag};
  receive->status.MPI_ERROR = size > receive->room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  receive->done = true;
}

int PMPI_Send(const void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  const size_t size = (size_t)count * size_of(type);
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (rank != 0) return MPI_ERR_RANK;
  for (struct MPI_ABI_Request **place = &receives; *place != NULL; place = &(*place)->next) {
    struct MPI_ABI_Request *receive = *place;
    if (receive->comm != comm || !tag_fits(receive->tag, tag)) continue;
    complete(receive, buffer, size, tag);
    *place = receive->next;
    return MPI_SUCCESS;
  }
  struct Message *message = malloc(sizeof *message + size);
  *message = (struct Message){.next = NULL, .comm = comm, .tag = tag, .size = size};
  memcpy(message->bytes, buffer, size);
  struct Message **end = &messages;
  while (*end != NULL) end = &(*end)->next;
  *end = message;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Send);

int PMPI_Irecv(void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
  if (rank != 0 && rank != MPI_ANY_SOURCE) return MPI_ERR_RANK;
  struct MPI_ABI_Request *receive = calloc(1, sizeof *receive);
  receive->comm = comm;
  receive->tag = tag;
  receive->room = (size_t)count * size_of(type);
  receive->buffer = buffer;
  *request = receive;
  for (struct Message **place = &messages; *place != NULL; place = &(*place)->next) {
    struct Message *message = *place;
    if (message->comm != comm || !tag_fits(tag, message->tag)) continue;
    complete(receive, message->bytes, message->size, message->tag);
    *place = message->next;
    free(message);
    return MPI_SUCCESS;
  }
  struct MPI_ABI_Request **end = &receives;
  while (*end != NULL) end = &(*end)->next;
  *end = receive;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Irecv);

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  *flag = *request == MPI_REQUEST_NULL || (*request)->done;
  if (!*flag || *request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  const int code = (*request)->status.MPI_ERROR;
  if (status != MPI_STATUS_IGNORE) *status = (*request)->status;
  free(*request);
  *request = MPI_REQUEST_NULL;
  return code;
}
ALSO_AS_MPI(Test);

int PMPI_Wait(MPI_Request *request, MPI_Status *status) {
  int done = 0;
  const int code = PMPI_Test(request, &done, status);
  return done ? code : MPI_ERR_OTHER;  // nobody else is there who could still send it
}
ALSO_AS_MPI(Wait);

int PMPI_Recv(void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Status *status) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  const int code = PMPI_Irecv(buffer, count, type, rank, tag, comm, &request);
  return code != MPI_SUCCESS ? code : PMPI_Wait(&request, status);
}
ALSO_AS_MPI(Recv);

int PMPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                  MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  const int code = PMPI_Send(out, out_count, out_type, to, out_tag, comm);
  return code != MPI_SUCCESS ? code : PMPI_Recv(in, in_count, in_type, from, in_tag, comm, status);
}
ALSO_AS_MPI(Sendrecv);

// Collectives of one process

int PMPI_Barrier(MPI_Comm comm) {
  (void)comm;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Barrier);

int PMPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  (void)buffer, (void)count, (void)type, (void)root, (void)comm;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Bcast);

int PMPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  (void)op, (void)comm;
  if (size_of(type) == 0) return MPI_ERR_TYPE;
  if (in != MPI_IN_PLACE) memcpy(out, in, (size_t)count * size_of(type));
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Allreduce);

int PMPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return root != 0 ? MPI_ERR_RANK : PMPI_Allreduce(in, out, count, type, op, comm);
}
ALSO_AS_MPI(Reduce);

int PMPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op) {
  (void)commutes;
  *op = malloc(sizeof **op);
  (*op)->function = function;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Op_create);

int PMPI_Op_free(MPI_Op *op) {
  free(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Op_free);

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count *size) {
  *size = (MPI_Count)size_of(type);
  return *size == 0 ? MPI_ERR_TYPE : MPI_SUCCESS;
}
ALSO_AS_MPI(Type_size_x);

int PMPI_Type_size(MPI_Datatype type, int *size) {
  *size = (int)size_of(type);
  return *size == 0 ? MPI_ERR_TYPE : MPI_SUCCESS;
}
ALSO_AS_MPI(Type_size);

// What it is, and time

int PMPI_Get_version(int *version, int *subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Get_version);

int PMPI_Get_library_version(char *text, int *length) {
  *length = snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "Stand-in MPI 0.1 for tests");
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Get_library_version);

int PMPI_Abi_get_version(int *major, int *minor) {
  *major = MPI_ABI_VERSION;
  *minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Abi_get_version);

int PMPI_Get_processor_name(char *name, int *length) {
  *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "stand-in");
  return MPI_SUCCESS;
}
ALSO_AS_MPI(Get_processor_name);

double PMPI_Wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
ALSO_AS_MPI(Wtime);

double PMPI_Wtick(void) { return 1e-9; }
ALSO_AS_MPI(Wtick);
