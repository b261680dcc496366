/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.h - the C interface between Cairn and a tool: options, results, wrappers, services. */
/*
 * A tool does not need this header: any shared object that defines MPI_X and calls PMPI_X is a tool. One that defines
 * the two symbols at the end also gets options, knows which instance it is, has a folder for its results, and can
 * use services of other tools. kit.hpp is the C++ interface on top of it; a QMPI tool needs only qmpi.h.
 *
 * Ownership: everything reachable from a cairn_tool_instance belongs to Cairn and stays valid until the process ends.
 * Threads:   cairn_tool_start runs once per instance, on the thread of the program's first MPI call, before that call
 *            reaches any layer. The functions of the instance may be called on any thread after that.
 * Errors:    if cairn_tool_start returns non-zero, the tool is left out of the stack and the program continues.
 * MPI:       is not initialized yet; cairn_tool_start may call only what the standard allows before MPI_Init.
 */
#ifndef CAIRN_TOOL_H
#define CAIRN_TOOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* the two symbols are exported, even with -fvisibility=hidden */

/* Version of this interface; Cairn refuses tools built for a newer one. 2 added intercept, publish and find, 3
 * publish_sized and find_sized. */
#define CAIRN_TOOL_ABI 3

struct cairn_tool_option {
  const char *name;
  const char *value;
};

/* One MPI function in a tool's table of wrappers, which it may pass to Cairn instead of exporting MPI_X. */
struct cairn_tool_function {
  const char *name; /* "MPI_Send" */
  void *wrapper;    /* called in place of the function; NULL: calls bypass the tool, which only needs `next` */
  void *next;       /* the function below; written by Cairn, also later while other threads read it. NULL: the MPI
                       library does not have the function */
};

struct cairn_tool_instance {
  uint32_t abi;      /* CAIRN_TOOL_ABI of the Cairn that runs the tool */
  uint32_t instance; /* 1, 2, ... among the layers of the same tool, the outermost first */
  uint32_t level;    /* identifies the layer: 1, 2, ... among those that the user asked for, loaded or not, outermost
                        first. A layer added by Cairn (a service) has a higher number, whatever its position */
  uint32_t option_count;
  /* [option_count], as given by the user; names are checked against the tool's list */
  const struct cairn_tool_option *options;
  const char *tool;    /* as the user named it */
  const char *program; /* path of the program under study */
  /*
   * The run's folder, created if necessary; call it only when there is something to write, usually on rank 0. A tool
   * writes files named after itself there, and appends text meant for people to report.txt. NULL: the folder cannot be
   * created, and the user has been told; or the ranks have not agreed on it yet, which they do in MPI_Init, and this is
   * not rank 0 and the user has not chosen a folder (--out).
   */
  const char *(*output_folder)(void);
  /* Prints a report to standard error; only the first rank with the tool does so. UTF-8. */
  void (*print)(const struct cairn_tool_instance *self, const char *text);
  /* Warns the user of a problem; only the first rank with the tool does so. Text without newline, UTF-8. */
  void (*warn)(const struct cairn_tool_instance *self, const char *text);
  /*
   * Switches the layer on or off on this rank. While it is off (0), its wrappers are not called and cost
   * nothing, except for MPI_Init, MPI_Init_thread, MPI_Finalize, MPI_Session_init, MPI_Session_finalize,
   * MPI_Abort and MPI_Pcontrol, so that the tool can gather its results. The user's filters may keep the
   * layer off although its switch is on. Must not be called before the first MPI call has reached the
   * tool. Takes a lock and some microseconds per layer; other threads may be in MPI.
   */
  void (*set_active)(const struct cairn_tool_instance *self, int active);
  /* Since abi 2: */
  /*
   * Registers the tool's wrappers, in addition to the MPI_X that it exports; only within cairn_tool_start. `functions`
   * is [count], belongs to the tool and must not move; every `next` is filled in when the call returns. Non-zero: a
   * name is not an MPI function that this Cairn knows; cairn_tool_start should return that number, and the user will be
   * told.
   */
  int (*intercept)(const struct cairn_tool_instance *self, struct cairn_tool_function *functions, size_t count);
  /*
   * Offers a service to the tools above: `interface` points to whatever the service documents (usually a structure of
   * functions) and must stay valid until the process ends. Names are "TOOL.WHAT"; a version denotes one layout and
   * meaning. Call it within cairn_tool_start if the tools above shall find it in theirs. Non-zero: the tool offers that
   * service already; the user has been told.
   */
  int (*publish)(const struct cairn_tool_instance *self, const char *service, uint32_t version, const void *interface);
  /*
   * Finds a service of the nearest layer below, or of Cairn itself; NULL if there is none. If it is offered in
   * other versions only, the user is told. Takes a lock: look services up once, usually in cairn_tool_start.
   */
  const void *(*find)(const struct cairn_tool_instance *self, const char *service, uint32_t version);
  /* Since abi 3: */
  /*
   * The same with the size of the interface in bytes, as the caller's headers have it; 0: unknown. Sizes that differ in
   * one version come from different headers: find_sized returns NULL, and the user is told. Within cairn_tool_start the
   * tool is then left out of the stack, as it is for any other version of one of Cairn's services ("cairn.…").
   */
  int (*publish_sized)(const struct cairn_tool_instance *self, const char *service, uint32_t version, size_t size,
                       const void *interface);
  const void *(*find_sized)(const struct cairn_tool_instance *self, const char *service, uint32_t version, size_t size);
};

/* Optional, defined by the tool. Returns 0, or non-zero to stay out of the stack (after telling why with warn). */
int cairn_tool_start(const struct cairn_tool_instance *self);

/*
 * Optional, defined by the tool: what it is and which options it takes, one item per line:
 *
 *   abi 3
 *   summary calls, time and bytes of each MPI function
 *   option top 10 functions shown in the table
 *
 *   needs cairn.datatypes 1
 *   offers mine.numbers 1
 *
 * `option NAME DEFAULT TEXT`: neither name nor default contains blanks. `cairn tools` prints it, and options that are
 * not listed are refused before the program starts. A tool without options lists none. `needs SERVICE VERSION`: the
 * tool is started only if `find` will return that service; if no tool below offers it, Cairn adds its own module that
 * does (include/cairn/services/). `offers SERVICE VERSION`: what the tool publishes, so that `cairn check` can show
 * which tool uses whose services. `outermost`: the tool changes what the program sees, so it is accepted only as the
 * first one, without filters, and cannot be switched off by others. `levels`: MPI_Pcontrol(0) switches the layer off and
 * MPI_Pcontrol(1) on, unless filters of the user's say otherwise. `handles`: what the tool offers goes by MPI's handles,
 * which PMPI tools may replace: a bundled module that says so is added again for tools above such layers.
 */
extern const char cairn_tool_about[];

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
