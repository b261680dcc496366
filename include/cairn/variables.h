/* SPDX-License-Identifier: BSD-3-Clause */
/* variables.h - the service "cairn.variables": adds a tool's control and performance variables to those of MPI_T. */
/*
 *   const struct cairn_variables *variables = self->find(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION);
 *   if (variables != NULL) variables->add_performance(self, &(struct cairn_variable){.name = "calls", ...});
 *
 * Programs and all tools then see the variable through ordinary MPI_T calls, after the library's own (chapter 15 of
 * MPI-4.0, 14 of MPI-3.1). kit/variables.hpp is the C++ interface on top of it. find returns NULL if Cairn has no
 * engine for this MPI.
 *
 * Names:     "calls" of the tool `profile` is listed as `profile_calls`, that of a second `profile` layer as
 *            `profile.2_calls`.
 * Ownership: add_... copies its arguments; `context` belongs to the tool and must stay valid until the process ends.
 * Threads:   add_... may be called on any thread at any time, also while others read. The functions of a variable are
 *            called on the threads that call MPI_T, possibly several at once.
 * Errors:    a variable that cannot be added is left out, the user is told which and why, and add_... returns non-zero.
 *            The functions of a variable must not throw.
 * MPI:       add_... requires neither MPI nor MPI_T to be initialized. The functions of a variable are called only
 *            while MPI_T is initialized, which may be before MPI_Init and after MPI_Finalize. No lock is held then, so
 *            they may call whatever MPI allows at that time, as PMPI_X.
 */
#ifndef CAIRN_VARIABLES_H
#define CAIRN_VARIABLES_H

#include <stdint.h>

#include "cairn/tool.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_VARIABLES "cairn.variables"
#define CAIRN_VARIABLES_VERSION 1

/* MPI_T constants differ between MPI libraries; these are the same for all, so that one binary works with all. */

/* The datatypes that MPI_T allows (section 15.3.5 of MPI-4.0); CAIRN_CHAR is a string of at most `count` bytes,
 * including the terminating zero. */
enum cairn_type {
  CAIRN_INT,
  CAIRN_UNSIGNED,
  CAIRN_UNSIGNED_LONG,
  CAIRN_UNSIGNED_LONG_LONG,
  CAIRN_COUNT,
  CAIRN_CHAR,
  CAIRN_DOUBLE
};

/* What a variable is bound to (section 15.3.2): programs pass an object of that kind when they allocate a handle. */
enum cairn_binding {
  CAIRN_BIND_NO_OBJECT,
  CAIRN_BIND_COMM,
  CAIRN_BIND_DATATYPE,
  CAIRN_BIND_ERRHANDLER,
  CAIRN_BIND_FILE,
  CAIRN_BIND_GROUP,
  CAIRN_BIND_OP,
  CAIRN_BIND_REQUEST,
  CAIRN_BIND_WIN,
  CAIRN_BIND_MESSAGE,
  CAIRN_BIND_INFO,
  CAIRN_BIND_SESSION /* since MPI-4.0; refused if the library's mpi.h does not have it */
};

/* Who a variable is meant for (section 15.3.1): users, tuners, MPI developers; basic, detailed, all. */
enum cairn_verbosity {
  CAIRN_USER_BASIC,
  CAIRN_USER_DETAIL,
  CAIRN_USER_ALL,
  CAIRN_TUNER_BASIC,
  CAIRN_TUNER_DETAIL,
  CAIRN_TUNER_ALL,
  CAIRN_MPIDEV_BASIC,
  CAIRN_MPIDEV_DETAIL,
  CAIRN_MPIDEV_ALL
};

/* Where a control variable can be set (section 15.3.6); the first two cannot be set. */
enum cairn_scope {
  CAIRN_SCOPE_CONSTANT,
  CAIRN_SCOPE_READONLY,
  CAIRN_SCOPE_LOCAL,
  CAIRN_SCOPE_GROUP,
  CAIRN_SCOPE_GROUP_EQ,
  CAIRN_SCOPE_ALL,
  CAIRN_SCOPE_ALL_EQ
};

/*
 * What a performance variable measures (section 15.3.7), with the types that the standard allows. State units in
 * the description, except for those that the standard fixes, given here.
 */
enum cairn_class {
  CAIRN_STATE,         /* one of several states; int, usually with an enumeration */
  CAIRN_LEVEL,         /* how much of a resource is used; unsigned types, double */
  CAIRN_SIZE,          /* how large a resource is; unsigned types, double */
  CAIRN_PERCENTAGE,    /* fraction of a resource in use, from 0.0 to 1.0; double */
  CAIRN_HIGHWATERMARK, /* the most that was used; unsigned types, double */
  CAIRN_LOWWATERMARK,  /* the least that was used; unsigned types, double */
  CAIRN_COUNTER,       /* how often something happened; unsigned types */
  CAIRN_AGGREGATE,     /* a sum; unsigned types, double */
  CAIRN_TIMER,         /* a sum of time; unsigned types, double (then in seconds) */
  CAIRN_GENERIC        /* anything else; any type */
};

/* What the functions of a variable return, and what the caller of MPI_T gets. */
enum cairn_answer {
  CAIRN_DONE,    /* MPI_SUCCESS */
  CAIRN_REFUSED, /* the value or the object is invalid: MPI_T_ERR_INVALID */
  CAIRN_NOT_NOW, /* MPI_T_ERR_CVAR_SET_NOT_NOW */
  CAIRN_NEVER,   /* MPI_T_ERR_CVAR_SET_NEVER, for a performance variable MPI_T_ERR_PVAR_NO_WRITE */
  CAIRN_NO_SPACE /* MPI_T_ERR_MEMORY */
};

enum {
  CAIRN_READONLY = 1,   /* performance: cannot be written or reset */
  CAIRN_CONTINUOUS = 2, /* performance: always counts, cannot be started or stopped */
  CAIRN_ATOMIC = 4,     /* performance: can be read and reset in one step */
  CAIRN_FULL_NAME = 8,  /* the name is listed as given, without the tool's name in front */
  CAIRN_YIELD_NAME = 16 /* with CAIRN_FULL_NAME: if the MPI library has that name, the variable is listed with the
                         * tool's name in front. Programs find it by either name */
};

struct cairn_item {
  int value;
  const char *name;
};

/* Names for the values of a variable of type int (section 15.3.5). */
struct cairn_enumeration {
  const char *name;
  int count;
  const struct cairn_item *items; /* [count] */
};

/*
 * A variable. Members may be zero or NULL where a meaning for that is given, so that a simple variable sets only a few.
 *
 * Handles: an MPI_T handle refers to `bound`, which `open` returns for an object and which `read` gets each time. For
 * performance variables of the classes counter, aggregate and timer, `read` returns a total that only grows; Cairn lets
 * each handle start at zero, stop, be written and be reset on its own, without the tool. The value of the
 * other classes is what `read` returns; stopped handles keep their value. A tool that provides start, stop or reset
 * does all of this itself: everything is passed on to it, and what it does not provide is refused.
 */
struct cairn_variable {
  const char *name;        /* letters, digits, '_' and '.'; see Names above */
  const char *description; /* one sentence, with the unit. NULL: none */
  const char *category;    /* name of a category that this tool has added. NULL: the one with the tool's name */
  enum cairn_verbosity verbosity;
  enum cairn_type type;
  enum cairn_binding binding;
  const struct cairn_enumeration *enumeration; /* NULL: none */
  int count;                                   /* elements of the value, unless `open` sets it; 0: one */
  int flags;                                   /* CAIRN_READONLY, ... */
  enum cairn_scope scope;                      /* control variables only */
  enum cairn_class variable_class;             /* performance variables only */
  void *context;                               /* the tool's; passed to `read` if there is no `open` */
  /*
   * Called when a handle is allocated. `object` is the address of the program's MPI handle
   * (MPI_Comm *, ...), NULL for a variable without binding. Stores what the other functions
   * get in *bound and the number of elements in *count. NULL: `context` and `count` above.
   */
  int (*open)(void *context, void *object, void **bound, int *count);
  void (*close)(void *bound);            /* the handle is freed, by the program or by MPI_T_finalize. May be NULL */
  int (*read)(void *bound, void *value); /* required: stores all elements */
  /*
   * NULL: cannot be written. After CAIRN_DONE, `read` returns the new value. For control variables, Cairn has already
   * refused values outside the enumeration and strings without a zero within `count` bytes; strings have
   * `count` bytes, padded with zeros.
   */
  int (*write)(void *bound, const void *value);
  int (*start)(void *bound); /* performance variables only; see Handles above */
  int (*stop)(void *bound);
  int (*reset)(void *bound);
};

/* A category (section 15.3.9). One without parent belongs to the tool's category, and that to the category `cairn`. */
struct cairn_category {
  const char *name;
  const char *description; /* NULL: none */
  const char *parent;      /* name of a category that this tool has added. NULL: the one with the tool's name */
  int flags;               /* CAIRN_FULL_NAME, as with variables */
};

struct cairn_variables {
  int (*add_control)(const struct cairn_tool_instance *self, const struct cairn_variable *variable);
  int (*add_performance)(const struct cairn_tool_instance *self, const struct cairn_variable *variable);
  int (*add_category)(const struct cairn_tool_instance *self, const struct cairn_category *category);
};

#ifdef __cplusplus
}
#endif

#endif
