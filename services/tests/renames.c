/* SPDX-License-Identifier: BSD-3-Clause */
/* renames.c - a tool that gives callers communicators and requests of its own, as tools do that keep data behind each handle. What it takes by such
   a handle it passes on by the library's. Freed handles come back at once. Only of calls that renamed.c and Cairn's services make. */

#include <mpi.h>
#include <stdint.h>

enum { most = 64 };

static struct Comm {
  MPI_Comm real;
  int is_used;
} comms[most];
static struct Request {
  MPI_Request real;
  int is_used;
} requests[most];

#ifdef OPEN_MPI
#define OWN(type, table, i) ((type)(void*)&(table)[i])
#define PLACE(handle, table) (((uintptr_t)(handle) - (uintptr_t)(table)) / sizeof(table)[0])
#else
#define OWN(type, table, i) ((type)(0x7e000000 + (i)))
#define PLACE(handle, table) ((uintptr_t)(handle)-0x7e000000)
#endif

#define NEW_AND_REAL(Type, name, table)                                       \
  static Type own_##name(Type real) {                                         \
    if (real == Type##_NULL) return real;                                     \
    for (int i = 0; i < most; ++i) {                                          \
      if (table[i].is_used) continue;                                         \
      table[i].real = real;                                                   \
      table[i].is_used = 1;                                                   \
      return OWN(Type, table, i);                                             \
    }                                                                         \
    return real;                                                              \
  }                                                                           \
  static Type real_##name(Type handle) {                                      \
    const uintptr_t place = PLACE(handle, table);                             \
    return place < most && table[place].is_used ? table[place].real : handle; \
  }                                                                           \
  static void forget_##name(Type handle) {                                    \
    const uintptr_t place = PLACE(handle, table);                             \
    if (place < most) table[place].is_used = 0;                               \
  }
#define MPI_Comm_NULL MPI_COMM_NULL
#define MPI_Request_NULL MPI_REQUEST_NULL
NEW_AND_REAL(MPI_Comm, comm, comms)
NEW_AND_REAL(MPI_Request, request, requests)

/* Calls that take a communicator first. */
#define FIRST(name, types, ...) \
  int MPI_##name(MPI_Comm comm, ARGUMENTS types) { return PMPI_##name(real_comm(comm), __VA_ARGS__); }
#define ARGUMENTS(...) __VA_ARGS__
FIRST(Comm_rank, (int* a), a)
FIRST(Comm_size, (int* a), a)
FIRST(Comm_remote_size, (int* a), a)
FIRST(Comm_group, (MPI_Group * a), a)
FIRST(Comm_remote_group, (MPI_Group * a), a)
FIRST(Comm_test_inter, (int* a), a)
FIRST(Topo_test, (int* a), a)
FIRST(Comm_get_name, (char* a, int* b), a, b)
FIRST(Comm_get_attr, (int a, void* b, int* c), a, b, c)
FIRST(Comm_set_attr, (int a, void* b), a, b)
FIRST(Comm_delete_attr, (int a), a)
FIRST(Comm_get_errhandler, (MPI_Errhandler * a), a)
FIRST(Comm_set_errhandler, (MPI_Errhandler a), a)
FIRST(Comm_call_errhandler, (int a), a)

int MPI_Comm_compare(MPI_Comm one, MPI_Comm other, int* result) {
  return PMPI_Comm_compare(real_comm(one), real_comm(other), result);
}
int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(real_comm(comm)); }
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return PMPI_Allreduce(from, to, count, type, op, real_comm(comm));
}
int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Send(buffer, count, type, to, tag, real_comm(comm));
}
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return PMPI_Recv(buffer, count, type, from, tag, real_comm(comm), status);
}

static int renamed(int code, MPI_Comm* comm) {
  if (code == MPI_SUCCESS) *comm = own_comm(*comm);
  return code;
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) { return renamed(PMPI_Comm_dup(real_comm(comm), copy), copy); }
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part) {
  return renamed(PMPI_Comm_split(real_comm(comm), color, key, part), part);
}
int MPI_Comm_free(MPI_Comm* comm) {
  const MPI_Comm own = *comm;
  MPI_Comm real = real_comm(own);
  const int code = PMPI_Comm_free(&real);
  forget_comm(own);
  *comm = real;
  return code;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Isend(buffer, count, type, to, tag, real_comm(comm), request);
  *request = own_request(*request);
  return code;
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Irecv(buffer, count, type, from, tag, real_comm(comm), request);
  *request = own_request(*request);
  return code;
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request own = *request;
  MPI_Request real = real_request(own);
  const int code = PMPI_Wait(&real, status);
  if (real == MPI_REQUEST_NULL) forget_request(own);
  *request = real;
  return code;
}
