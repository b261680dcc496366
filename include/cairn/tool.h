/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.h - the C interface between Cairn and a tool: options, results, wrappers, services. */
/*
 * A tool needs nothing of this: any shared object that defines MPI_X and calls PMPI_X is a tool. One that defines the
 * two names at the end also gets options, knows which of several instances it is, has a folder for its results, and can
 * build on other tools. kit.hpp puts C++ on top; a QMPI tool needs qmpi.h alone.
 *
 * Ownership: everything reachable from a cairn_tool_instance belongs to Cairn and stays valid until the process ends.
 * Threads:   cairn_tool_start runs once per instance, on the thread of the program's first MPI call, before that call
 *            reaches any layer. The functions of the instance may be called on any thread after that.
 * Errors:    a non-zero result of cairn_tool_start takes the tool out of the stack; the program goes on.
 * MPI:       MPI is not started yet; cairn_tool_start may call only what the standard allows before MPI_Init.
 */
#ifndef CAIRN_TOOL_H
#define CAIRN_TOOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* the two names a tool defines are for others, whatever it is compiled with */

/* Version of this file; Cairn refuses tools built for a newer one. 2: intercept, publish, find. */
#define CAIRN_TOOL_ABI 2

struct cairn_tool_option {
  const char *name;
  const char *value;
};

/* One MPI function in a tool's own table of wrappers, which it may give to Cairn in place of exporting MPI_X. */
struct cairn_tool_function {
  const char *name; /* "MPI_Send" */
  void *wrapper;    /* what calls of it reach; NULL: they pass the tool by, and only `next` is wanted */
  void *next;       /* written by Cairn, also later and while other threads read it: what lies below. NULL: the MPI
                       library lacks the function */
};

struct cairn_tool_instance {
  uint32_t abi;      /* CAIRN_TOOL_ABI of the Cairn that runs the tool */
  uint32_t instance; /* 1, 2, ... among the layers of the same tool, the outermost first */
  uint32_t level;    /* which layer: 1, 2, ... among those that the user asked for, loaded or not, the outermost first.
                        One that Cairn adds (a service) has a higher number, which says nothing of its place */
  uint32_t option_count;
  const struct cairn_tool_option
      *options;        /* [option_count], as the user gave them, names checked against the tool's list */
  const char *tool;    /* as the user named it */
  const char *program; /* path of the program under study */
  /*
   * The run's folder, made if it is not there yet; call it only where something is written, as a rule on rank 0. A tool
   * writes files named after itself there, and adds what people should read to report.txt. NULL: the folder cannot be
   * made, and the user has been told; or MPI_Init has not returned yet, where the ranks agree on it, this is not rank 0
   * and the user has not chosen a folder (--out).
   */
  const char *(*output_folder)(void);
  /* Shows a report on the terminal (standard error), once per job: only the first rank with the tool is heard. UTF-8.
   */
  void (*print)(const struct cairn_tool_instance *self, const char *text);
  /* Tells the user of a problem, once per job (by the first rank with the tool). Text without newline, UTF-8. */
  void (*warn)(const struct cairn_tool_instance *self, const char *text);
  /*
   * Turns the layer's switch on this rank. 0 takes it out of the calls' way: until it is put back, its wrappers are not
   * entered and cost nothing, but for MPI_Init, MPI_Init_thread, MPI_Finalize, MPI_Session_init, MPI_Session_finalize,
   * MPI_Abort and MPI_Pcontrol, so that the tool can gather its results. The user's filters may keep the layer off
   * while its switch is on. Not before the first MPI call has reached the tool. Takes a lock and some microseconds per
   * layer; may be called while other threads are in MPI.
   */
  void (*set_active)(const struct cairn_tool_instance *self, int active);
  /* From here on: abi 2. */
  /*
   * Only within cairn_tool_start: the tool's wrappers, beside the MPI_X that it exports. `functions` is [count], stays
   * the tool's, and must stay where it is; every `next` is filled in when the call returns. Not 0: a name is of no MPI
   * function that this Cairn knows, and cairn_tool_start should return that number; the user will be told.
   */
  int (*intercept)(const struct cairn_tool_instance *self, struct cairn_tool_function *functions, size_t count);
  /*
   * Offers a service to the tools above: `interface` points to what its documentation says (as a rule a structure of
   * functions) and stays valid for ever. Names are "TOOL.WHAT"; a version stands for one layout and meaning. Within
   * cairn_tool_start if tools above are to find it in theirs. Not 0: the tool offers that service already; the user has
   * been told.
   */
  int (*publish)(const struct cairn_tool_instance *self, const char *service, uint32_t version, const void *interface);
  /*
   * A service of the nearest layer below, or of Cairn itself; NULL if nobody there offers it. Where it is offered in
   * other versions only, the user is told that too. Look services up once, in cairn_tool_start as a rule: takes a lock.
   */
  const void *(*find)(const struct cairn_tool_instance *self, const char *service, uint32_t version);
};

/* Optional, defined by the tool. Returns 0, or another number to stay out of the stack (after saying why with warn). */
int cairn_tool_start(const struct cairn_tool_instance *self);

/*
 * Optional, defined by the tool: what it is and which options it takes, one item per line:
 *
 *   abi 2
 *   summary calls, time and bytes of each MPI function
 *   option top 10 functions shown in the table
 *
 *   needs cairn.datatypes 1
 *   offers mine.numbers 1
 *
 * `option NAME DEFAULT TEXT`: neither name nor default contain blanks. `cairn tools` prints it, and an option that is
 * not listed is refused before the program starts. A tool without it takes no options. `needs SERVICE VERSION`: the
 * tool is started only if `find` will have that; where no tool below offers it, Cairn adds the module of its own that
 * does (include/cairn/services/). `offers SERVICE VERSION`: what the tool publishes, so that `cairn check` can tell
 * who would give it to whom.
 */
extern const char cairn_tool_about[];

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
