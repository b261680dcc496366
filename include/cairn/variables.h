/* SPDX-License-Identifier: BSD-3-Clause */
/* variables.h - the service "cairn.variables": a tool's own control and performance variables in the list of MPI_T. */
/*
 *   const struct cairn_variables *variables = self->find(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION);
 *   if (variables != NULL) variables->add_performance(self, &(struct cairn_variable){.name = "calls", ...});
 *
 * Programs and all tools then see the variable by plain MPI_T calls, behind the library's own (chapter 15 of MPI-4.0,
 * 14 of MPI-3.1). kit/variables.hpp puts C++ on top. NULL from find: there is no engine for this MPI.
 *
 * Names:     "calls" of the tool `profile` is listed as `profile_calls`, of a second layer of that name as
 *            `profile.2_calls`.
 * Ownership: add_... copies all that it is given; `context` stays the tool's, and must stay valid until the process
 * ends. Threads:   add_... on any thread at any time, also while others read. The functions of a variable are called on
 *            whatever thread calls MPI_T, several at once if the program's threads do so.
 * Errors:    a variable that cannot be offered is left out, the user is told which and why, and add_... returns not 0.
 *            The functions of a variable must not throw.
 * MPI:       add_... needs neither MPI nor MPI_T started, and starts neither. The functions of a variable are called
 * only while MPI_T is initialized, which may be before MPI_Init and after MPI_Finalize; no lock is held then, so that
 * they may call what is allowed at that time, by PMPI_.
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

/* Constants of MPI_T have other numbers in each MPI; these are the same on all, so one binary serves all. */

/* The datatypes that MPI_T allows (section 15.3.5 of MPI-4.0); CAIRN_CHAR is a text of at most `count` bytes, zero
 * included. */
enum cairn_type {
  CAIRN_INT,
  CAIRN_UNSIGNED,
  CAIRN_UNSIGNED_LONG,
  CAIRN_UNSIGNED_LONG_LONG,
  CAIRN_COUNT,
  CAIRN_CHAR,
  CAIRN_DOUBLE
};

/* What a variable is bound to (section 15.3.2): the program names an object of that kind when it allocates a handle. */
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
  CAIRN_BIND_SESSION /* since MPI-4.0; refused where the library's mpi.h does not have it */
};

/* For whom a variable is (section 15.3.1): users, who tune, who develop MPI; basic, detailed, everything. */
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

/* Where a control variable can be set (section 15.3.6). The first two: never. */
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
 * What a performance variable stands for (section 15.3.7), with the types that the standard allows. Units are said in
 * the description; those fixed by the standard are given here.
 */
enum cairn_class {
  CAIRN_STATE,         /* one of several states; int, as a rule with an enumeration */
  CAIRN_LEVEL,         /* how much of a resource is used; unsigned types, double */
  CAIRN_SIZE,          /* how large a resource is; unsigned types, double */
  CAIRN_PERCENTAGE,    /* part of a resource in use, from 0.0 to 1.0; double */
  CAIRN_HIGHWATERMARK, /* the most that was used; unsigned types, double */
  CAIRN_LOWWATERMARK,  /* the least that was used; unsigned types, double */
  CAIRN_COUNTER,       /* how often something happened; unsigned types */
  CAIRN_AGGREGATE,     /* a sum; unsigned types, double */
  CAIRN_TIMER,         /* a sum of time; unsigned types, double (then in seconds) */
  CAIRN_GENERIC        /* anything else; any type */
};

/* What a function of a variable answers, and what the caller of MPI_T gets for it. */
enum cairn_answer {
  CAIRN_DONE,    /* MPI_SUCCESS */
  CAIRN_REFUSED, /* the value or the object is none that makes sense: MPI_T_ERR_INVALID */
  CAIRN_NOT_NOW, /* MPI_T_ERR_CVAR_SET_NOT_NOW */
  CAIRN_NEVER,   /* MPI_T_ERR_CVAR_SET_NEVER, for a performance variable MPI_T_ERR_PVAR_NO_WRITE */
  CAIRN_NO_SPACE /* MPI_T_ERR_MEMORY */
};

enum {
  CAIRN_READONLY = 1,   /* performance: cannot be written or reset */
  CAIRN_CONTINUOUS = 2, /* performance: always counts, cannot be started or stopped */
  CAIRN_ATOMIC = 4,     /* performance: can be read and reset in one step */
  CAIRN_FULL_NAME = 8   /* the name is listed as it is, without the tool's name in front */
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
 * A variable. What is zero or NULL has the meaning that is said at it, so a plain variable names few members.
 *
 * Handles: MPI_T's handles refer to `bound`, which `open` gives for an object; `read` gets it each time. Performance
 * variables of the classes counter, aggregate and timer tell by `read` a total that only grows: their handles and
 * sessions start at zero, stop, are written and reset each for itself, and the tool takes no part in it. The value of
 * other classes is what `read` tells; stopped handles keep the value they had. A tool that gives start, stop or reset
 * does all that itself: then everything is passed on, and what it lacks is refused.
 */
struct cairn_variable {
  const char *name;        /* letters, digits, '_', '.' as the library's; see Names above */
  const char *description; /* one sentence, with the unit. NULL: none */
  const char *category;    /* name of a category that this tool has added. NULL: the one with the tool's name */
  enum cairn_verbosity verbosity;
  enum cairn_type type;
  enum cairn_binding binding;
  const struct cairn_enumeration *enumeration; /* NULL: none */
  int count;                                   /* elements of the value, where `open` does not say; 0: one */
  int flags;                                   /* CAIRN_READONLY, ... */
  enum cairn_scope scope;                      /* control variables only */
  enum cairn_class variable_class;             /* performance variables only */
  void *context;                               /* the tool's own; what is read if there is no `open` */
  /*
   * A handle is allocated. `object` is the address of the program's MPI handle (MPI_Comm *, ...), NULL for a variable
   * without binding. Writes what the other functions get to *bound, and the number of elements to *count. NULL: the
   * context and `count` above.
   */
  int (*open)(void *context, void *object, void **bound, int *count);
  void (*close)(void *bound);            /* the handle is freed, by the program or with MPI_T. NULL: nothing to do */
  int (*read)(void *bound, void *value); /* required: writes all elements */
  /*
   * NULL: never. What it answers CAIRN_DONE to is what `read` tells from then on. Of control variables, Cairn has
   * refused values that are not in the enumeration and texts without a zero among their `count` bytes; the others have
   * room for `count`, and zeros behind their end.
   */
  int (*write)(void *bound, const void *value);
  int (*start)(void *bound); /* performance variables only; see Handles above */
  int (*stop)(void *bound);
  int (*reset)(void *bound);
};

/* A category (section 15.3.9). Those without parent are in the tool's own, those of all tools in the category `cairn`.
 */
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
