/* SPDX-License-Identifier: BSD-3-Clause */
/* standin.h - a PMPI tool that stands for a library's MPI_T: innermost in a stack, it answers every MPI_T function.
 *
 * What is in its tables moves by known amounts in known calls of MPI:
 *
 * MPI_Barrier       one variable of each class, see model.c
 * MPI_Allreduce     `around` adds 2^30 to 32 bits, `restarts` adds 5 and begins anew at every third call
 * MPI_Comm_rank     the n-th one adds a variable of each kind and a category, n from STANDIN_MPI_T_LATE (1)
 * MPI_Comm_size     adds 1 to `late`
 * MPI_Type_size     makes `fading` invalid
 * MPI_Isend, …      take and give back buffers, see pools.c
 *
 * Variables that are bound to an object move in the calls that are listed in objects.c.
 * STANDIN_MPI_T_ERRORS=MPI_T_pvar_read,MPI_T_cvar_get_info:3 makes functions answer MPI_T_ERR_INVALID, always or for an
 * index. STANDIN_MPI_T_ALONE: MPI_T is for one thread.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Nothing leaves the tool but MPI's names. */
#pragma GCC visibility push(hidden)

enum { most_elements = 4 };

/* Has a value of every type that MPI_T knows, exactly. */
typedef long double number;

void put(MPI_Datatype type, void *buffer, int element, number value);
number get(MPI_Datatype type, const void *buffer, int element);
void give(int *out, int value);
void give_text(const char *text, char *out, int *length);

struct item {
  int value;
  const char *name;
};
struct enumeration {
  const char *name;
  int count;
  struct item items[3];
};
extern const struct enumeration phase, colour;

enum { in_classes, in_bindings, in_pools, all_of_it, in_late, category_count };

struct control {
  const char *name, *description;
  int category, verbosity, scope, binding, count;
  MPI_Datatype type;
  const struct enumeration *items;
  bool not_now; /* cannot be set after MPI_Init */
  number start[most_elements];
  const char *text; /* of MPI_CHAR */
};

struct performance {
  const char *name, *description;
  int category, verbosity, of_class, binding, count;
  MPI_Datatype type;
  const struct enumeration *items;
  bool readonly, continuous, atomic;
  number start[most_elements];
};

/* The last of each list are there only later. */
extern const struct control controls[];
extern const struct performance performances[];
extern const int control_limit, performance_limit;
int control_count(void);
int performance_count(void);
bool is_late(void);

/* The numbers of those that calls move. */
enum {
  pv_state,
  pv_level,
  pv_size,
  pv_percentage,
  pv_high,
  pv_low,
  pv_counter,
  pv_aggregate,
  pv_timer,
  pv_generic,
  pv_text,
  pv_around,
  pv_restarts,
  pv_still,
  pv_fading,
  pv_allocated,
  pv_most_used,
  pv_pool_memory,
  pv_first_bound
};
enum { cv_eager_threshold, cv_buffer_size, cv_pool_control, cv_pool_reduced };

/* What they are now; `performance_values` of those without an object. */
extern number performance_values[][most_elements];
extern number control_values[][most_elements];
bool is_valid(const struct performance *variable);

/* An object of the program's. */
struct object {
  struct object *next;
  int binding;
  size_t size;
  unsigned char handle[16];
  bool is_gone, is_leaving; /* the second: by the time of the next call that moves anything */
  number values[most_elements];
};
struct object *object_of(int binding, const void *handle); /* made when first asked for; null: no such binding */

/* After a control variable was written. */
void resize_pools(void);

/* One thread at a time, and an error if there is to be one. */
#define BEGIN(index)                                       \
  const int alone __attribute__((cleanup(end))) = begin(); \
  const int answer = answer_of(__func__, index);           \
  (void)alone;                                             \
  if (answer != MPI_SUCCESS) return answer
int begin(void);
void end(const int *);
int answer_of(const char *function, int index);
extern int initializations;

#pragma GCC visibility pop
