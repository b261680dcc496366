/* SPDX-License-Identifier: BSD-3-Clause */
/* qmpi_thesis.h - QMPI as in B. Elis's thesis, so that tools written for it compile unchanged with any MPI. */
/*
 * A tool exports get_interceptions, which returns the name of the wrapper of each of NUM_MPI_FUNCS functions,
 * or "NULL". A wrapper has MPI's parameters, then its level and the vector of layers, and continues like this:
 *
 *   int T1_Comm_rank(MPI_Comm comm, int *rank, int i, vector *v) {
 *     void *f = NULL;
 *     QMPI_TABLE_QUERY(_MPI_Comm_rank, &f, (*VECTOR_GET(v, i)).table);
 *     return EXEC_FUNC(f, i, _MPI_Comm_rank, v, comm, rank);
 *   }
 *   char *get_interceptions(int i) { return i == _MPI_Comm_rank ? "T1_Comm_rank" : "NULL"; }
 *
 * exec_func and the macro EXEC_FUNC are the same: a direct call that passes the arguments as they are, so
 * constants for an MPI_Aint, MPI_Offset or MPI_Count must be cast to that type. See docs/qmpi.md for the rest.
 *
 * Ownership: names and wrappers belong to the tool. QMPI_Set_context makes a copy; earlier copies stay valid.
 * Threads:   everything but QMPI_Set_context may be called on any thread.
 * Errors:    the user is told what a tool does wrong, with the tool's name.
 */
#ifndef CAIRN_QMPI_THESIS_H
#define CAIRN_QMPI_THESIS_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The index of each function: _MPI_Abort is 0, _MPI_Wtime 359. */
typedef enum {
#define CAIRN_THESIS_FUNCTION(function) _##function,
#include "cairn/generated/thesis_functions.inc"
#undef CAIRN_THESIS_FUNCTION
  NUM_MPI_FUNCS
} _MPI_funcs;

/* The function that a layer calls to continue, and the level to pass. */
typedef struct cell {
  void *func_ptr; /* never null */
  int level;      /* of the layer it belongs to; vector_total if the call leaves this kind of QMPI */
} cell;

typedef void *dynamic_lib_handle;

/* A layer. */
struct dynamic_lib {
  const char *path; /* as the user named the tool */
  dynamic_lib_handle handle;
  char *mpi_interceptions[NUM_MPI_FUNCS]; /* as get_interceptions returned them */
  cell table[NUM_MPI_FUNCS];
  void *context;
};

/* All layers by level: 1, 2, …, outermost first; 0 is the program. */
typedef struct vector {
  struct dynamic_lib **items;
  int capacity;
  int total;
  void (*problem)(const char *text); /* tells the user */
} vector;

#define VECTOR_GET(v, index) ((v)->items[index])

static inline int vector_total(vector *v) { return v->total; }

/* Null for an invalid level. */
static inline struct dynamic_lib *vector_get(vector *v, int index) {
  return index >= 0 && index < v->total ? v->items[index] : NULL;
}

#define QMPI_TABLE_QUERY(index, function, table) \
  __extension__({                                \
    *(function) = (table)[index].func_ptr;       \
    0;                                           \
  })
#define MPI_TABLE_QUERY QMPI_TABLE_QUERY
#define QMPI_GET_LEVEL(level_, index, v) (VECTOR_GET(v, level_)->table[index].level)
#define QMPI_GET_CONTEXT(v, index) (VECTOR_GET(v, index)->context)
#define QMPI_SET_CONTEXT QMPI_Set_context

static inline int QMPI_Table_query(int index, void **function, cell table[]) {
  return QMPI_TABLE_QUERY(index, function, table);
}

static inline int QMPI_Get_level(int level, int index, vector *v) { return QMPI_GET_LEVEL(level, index, v); }

static inline void *QMPI_Get_context(vector *v, int index) { return QMPI_GET_CONTEXT(v, index); }

/* Gives the layer a copy of [size] bytes as its context. */
static inline void QMPI_Set_context(vector *v, int index, void *from, size_t size) {
  struct dynamic_lib *layer = vector_get(v, index);
  void *copy = layer == NULL ? NULL : malloc(size);
  if (copy == NULL) {
    v->problem(layer == NULL ? "QMPI_Set_context: there is no layer of this level" : "QMPI_Set_context: out of memory");
    return;
  }
  layer->context = memcpy(copy, from, size);
}

/* Two functions do not return an int. Their index is always a constant. */
#define CAIRN_THESIS_REAL(index) ((index) == _MPI_Wtime || (index) == _MPI_Wtick)

#ifdef __cplusplus

template <bool real>
struct cairn_thesis_result {
  typedef int type;
};
template <>
struct cairn_thesis_result<true> {
  typedef double type;
};

template <bool real, class... Arguments>
inline typename cairn_thesis_result<real>::type cairn_thesis_call(void *function, int level, int index, vector *v,
                                                                  Arguments... arguments) {
  typedef typename cairn_thesis_result<real>::type (*Next)(Arguments..., int, vector *);
  return reinterpret_cast<Next>(function)(arguments..., QMPI_GET_LEVEL(level, index, v), v);
}

#define EXEC_FUNC(function, level, index, v, ...)                                                    \
  cairn_thesis_call<__builtin_constant_p(index) && CAIRN_THESIS_REAL(index)>(function, level, index, \
                                                                             v __VA_OPT__(, ) __VA_ARGS__)

#else

/* A function type without parameters: arguments are passed as they are. */
#if defined(__STDC_VERSION__) && (__STDC_VERSION__ >= 202311L || (__STDC_VERSION__ > 201710L && __GNUC__ > 12))
#define CAIRN_THESIS_ANY ...
#else
#define CAIRN_THESIS_ANY
#endif
#define CAIRN_THESIS_CALL(result, ...) (((result(*)(CAIRN_THESIS_ANY))cairn_function)(__VA_ARGS__))

#define EXEC_FUNC(function, level, index, v, ...)                                                          \
  __extension__({                                                                                          \
    void *cairn_function = (function);                                                                     \
    vector *cairn_v = (v);                                                                                 \
    int cairn_level = QMPI_GET_LEVEL(level, index, cairn_v);                                               \
    __builtin_choose_expr(__builtin_choose_expr(__builtin_constant_p(index), CAIRN_THESIS_REAL(index), 0), \
                          CAIRN_THESIS_CALL(double, __VA_ARGS__ __VA_OPT__(, ) cairn_level, cairn_v),      \
                          CAIRN_THESIS_CALL(int, __VA_ARGS__ __VA_OPT__(, ) cairn_level, cairn_v));        \
  })

#endif

#define exec_func EXEC_FUNC

#ifndef CAIRN_QMPI_THESIS_NO_TOOL /* only in a tool */
#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)
/* Tells Cairn that a tool was built with this header, not with another one for the thesis's QMPI. */
extern const char qmpi_thesis_header[] __attribute__((weak));
const char qmpi_thesis_header[] = "1";
/* Defined by the tool. */
char *get_interceptions(int i);
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

#endif
