/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.h - the part of the MPI-5 standard ABI that the stand-in library has: handles are pointers, constants are fixed.
 */
/*
 * The numbers are those of the standard's ABI chapter, so what is compiled with this header fits any library of that
 * ABI as far as the functions go. A handle below 0x1000 is a predefined one.
 */
#ifndef STANDIN_MPI_H
#define STANDIN_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION 5
#define MPI_SUBVERSION 0
#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;

typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;

typedef void(MPI_User_function)(void *in, void *in_out, int *length, MPI_Datatype *type);

#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)

#define MPI_GROUP_NULL ((MPI_Group)0x104)

#define MPI_REQUEST_NULL ((MPI_Request)0x180)

#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MIN ((MPI_Op)0x22)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_REPLACE ((MPI_Op)0x3c)
#define MPI_NO_OP ((MPI_Op)0x3d)

#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_LONG ((MPI_Datatype)0x20a)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x20e)
#define MPI_FLOAT ((MPI_Datatype)0x210)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_INTEGER ((MPI_Datatype)0x219)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)0x21c)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_INT32_T ((MPI_Datatype)0x250)
#define MPI_INT64_T ((MPI_Datatype)0x258)
#define MPI_UINT64_T ((MPI_Datatype)0x259)

#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_UNWEIGHTED ((int *)10)

enum {
  MPI_SUCCESS = 0,
  MPI_ERR_TYPE = 3,
  MPI_ERR_RANK = 6,
  MPI_ERR_ARG = 13,
  MPI_ERR_TRUNCATE = 15,
  MPI_ERR_OTHER = 16
};
enum { MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -2, MPI_PROC_NULL = -3, MPI_ROOT = -4, MPI_UNDEFINED = -32766 };
enum { MPI_THREAD_SINGLE = 0, MPI_THREAD_FUNNELED = 1024, MPI_THREAD_SERIALIZED = 2048, MPI_THREAD_MULTIPLE = 4096 };
enum { MPI_CART = 211, MPI_GRAPH = 212, MPI_DIST_GRAPH = 213 };

#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_PROCESSOR_NAME 256

/* Each function under both its names. */
#define STANDIN_FUNCTION(result, name, ...) \
  result MPI_##name(__VA_ARGS__);           \
  result PMPI_##name(__VA_ARGS__)

STANDIN_FUNCTION(int, Init, int *argc, char ***argv);
STANDIN_FUNCTION(int, Init_thread, int *argc, char ***argv, int required, int *provided);
STANDIN_FUNCTION(int, Initialized, int *flag);
STANDIN_FUNCTION(int, Finalize, void);
STANDIN_FUNCTION(int, Finalized, int *flag);
STANDIN_FUNCTION(int, Abort, MPI_Comm comm, int code);
STANDIN_FUNCTION(int, Pcontrol, const int level, ...);

STANDIN_FUNCTION(int, Comm_rank, MPI_Comm comm, int *rank);
STANDIN_FUNCTION(int, Comm_size, MPI_Comm comm, int *size);
STANDIN_FUNCTION(int, Group_rank, MPI_Group group, int *rank);
STANDIN_FUNCTION(int, Group_size, MPI_Group group, int *size);
STANDIN_FUNCTION(int, Comm_dup, MPI_Comm comm, MPI_Comm *copy);
STANDIN_FUNCTION(int, Comm_free, MPI_Comm *comm);
STANDIN_FUNCTION(int, Comm_test_inter, MPI_Comm comm, int *flag);
STANDIN_FUNCTION(int, Comm_remote_size, MPI_Comm comm, int *size);
STANDIN_FUNCTION(MPI_Comm, Comm_fromint, int number);
STANDIN_FUNCTION(int, Comm_toint, MPI_Comm comm);
STANDIN_FUNCTION(int, Topo_test, MPI_Comm comm, int *kind);
STANDIN_FUNCTION(int, Cartdim_get, MPI_Comm comm, int *dimensions);
STANDIN_FUNCTION(int, Cart_shift, MPI_Comm comm, int direction, int distance, int *from, int *to);
STANDIN_FUNCTION(int, Graph_neighbors_count, MPI_Comm comm, int rank, int *count);
STANDIN_FUNCTION(int, Dist_graph_neighbors_count, MPI_Comm comm, int *in, int *out, int *weighted);

STANDIN_FUNCTION(int, Send, const void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm);
STANDIN_FUNCTION(int, Recv, void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                 MPI_Status *status);
STANDIN_FUNCTION(int, Irecv, void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                 MPI_Request *request);
STANDIN_FUNCTION(int, Sendrecv, const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status);
STANDIN_FUNCTION(int, Test, MPI_Request *request, int *flag, MPI_Status *status);
STANDIN_FUNCTION(int, Wait, MPI_Request *request, MPI_Status *status);

STANDIN_FUNCTION(int, Barrier, MPI_Comm comm);
STANDIN_FUNCTION(int, Bcast, void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
STANDIN_FUNCTION(int, Reduce, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm);
STANDIN_FUNCTION(int, Allreduce, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
STANDIN_FUNCTION(int, Op_create, MPI_User_function *function, int commutes, MPI_Op *op);
STANDIN_FUNCTION(int, Op_free, MPI_Op *op);
STANDIN_FUNCTION(int, Type_size, MPI_Datatype type, int *size);
STANDIN_FUNCTION(int, Type_size_x, MPI_Datatype type, MPI_Count *size);

STANDIN_FUNCTION(int, Get_version, int *version, int *subversion);
STANDIN_FUNCTION(int, Get_library_version, char *text, int *length);
STANDIN_FUNCTION(int, Abi_get_version, int *major, int *minor);
STANDIN_FUNCTION(int, Get_processor_name, char *name, int *length);
STANDIN_FUNCTION(double, Wtime, void);
STANDIN_FUNCTION(double, Wtick, void);

#undef STANDIN_FUNCTION

#ifdef __cplusplus
}
#endif

#endif
