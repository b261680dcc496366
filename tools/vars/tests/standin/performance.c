/* SPDX-License-Identifier: BSD-3-Clause */
/* performance.c - the stand-in's performance variables: sessions, and handles that are started, read and reset.
 *
 * Counters, aggregates and timers count for each handle from its allocation, while it is started; continuous ones show
 * their total. Handles of other classes show the present value, stopped ones the last.
 */

#include <stdlib.h>
#include <string.h>

#include "standin.h"

struct session {
  bool is_open;
};

/* Never given back, so that a use after the end is seen. */
struct handle {
  struct handle *next;
  struct session *session;
  const struct performance *variable;
  struct object *object;
  bool is_open, is_running;
  number base[most_elements]; /* what a running one does not count */
  number last[most_elements]; /* what a stopped one shows */
};

static struct handle *handles;

static int number_of(const struct handle *one) { return (int)(one->variable - performances); }
static int numbers_of(const struct performance *variable) { return variable->type == MPI_CHAR ? 0 : variable->count; }
static const number *totals_of(const struct handle *one) {
  return one->object != NULL ? one->object->values : performance_values[number_of(one)];
}

/* Whether each handle counts for itself. */
static bool has_books(const struct performance *variable) {
  const int of_class = variable->of_class;
  return !variable->continuous && (of_class == MPI_T_PVAR_CLASS_COUNTER || of_class == MPI_T_PVAR_CLASS_AGGREGATE ||
                                   of_class == MPI_T_PVAR_CLASS_TIMER);
}

static number value_of(const struct handle *one, int element) {
  return one->is_running ? totals_of(one)[element] - one->base[element] : one->last[element];
}

/* From now on, `one` shows this much and what comes. */
static void set_value(struct handle *one, int element, number value) {
  one->last[element] = value;
  one->base[element] = has_books(one->variable) ? totals_of(one)[element] - value : 0;
}

int MPI_T_pvar_get_num(int *count) {
  BEGIN(-1);
  give(count, performance_count());
  return MPI_SUCCESS;
}

int MPI_T_pvar_get_info(int index, char *name, int *name_length, int *verbosity, int *of_class, MPI_Datatype *type,
                        MPI_T_enum *items, char *text, int *text_length, int *binding, int *readonly, int *continuous,
                        int *atomic) {
  BEGIN(index);
  if (index < 0 || index >= performance_count() || !is_valid(&performances[index])) return MPI_T_ERR_INVALID_INDEX;
  const struct performance *one = &performances[index];
  give_text(one->name, name, name_length);
  give_text(one->description, text, text_length);
  give(verbosity, one->verbosity);
  give(of_class, one->of_class);
  give(binding, one->binding);
  give(readonly, one->readonly);
  give(continuous, one->continuous);
  give(atomic, one->atomic);
  if (type != NULL) *type = one->type;
  if (items != NULL) *items = (MPI_T_enum)one->items;
  return MPI_SUCCESS;
}

int MPI_T_pvar_get_index(const char *name, int of_class, int *index) {
  BEGIN(-1);
  for (int i = 0; i < performance_count(); ++i)
    if (performances[i].of_class == of_class && strcmp(performances[i].name, name) == 0) return *index = i, MPI_SUCCESS;
  return MPI_T_ERR_INVALID_NAME;
}

int MPI_T_pvar_session_create(MPI_T_pvar_session *session) {
  BEGIN(-1);
  struct session *made = malloc(sizeof *made);
  made->is_open = true;
  *session = (MPI_T_pvar_session)made;
  return MPI_SUCCESS;
}

static bool is_session(MPI_T_pvar_session session) { return session != NULL && ((struct session *)session)->is_open; }

int MPI_T_pvar_session_free(MPI_T_pvar_session *session) {
  BEGIN(-1);
  if (!is_session(*session)) return MPI_T_ERR_INVALID_SESSION;
  for (struct handle *one = handles; one != NULL; one = one->next)
    if ((MPI_T_pvar_session)one->session == *session) one->is_open = false;
  ((struct session *)*session)->is_open = false;
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}

static bool is_empty(int index) {
  const char *empty = getenv("STANDIN_MPI_T_EMPTY");
  return empty != NULL && atoi(empty) == index;
}

int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object, MPI_T_pvar_handle *handle,
                            int *count) {
  BEGIN(index);
  if (!is_session(session)) return MPI_T_ERR_INVALID_SESSION;
  if (index < 0 || index >= performance_count() || !is_valid(&performances[index])) return MPI_T_ERR_INVALID_INDEX;
  const struct performance *variable = &performances[index];
  struct object *bound = object_of(variable->binding, object);
  if (variable->binding != MPI_T_BIND_NO_OBJECT && bound == NULL) return MPI_T_ERR_INVALID;
  struct handle *made = calloc(1, sizeof *made);
  *made = (struct handle){.next = handles,
                          .session = (struct session *)session,
                          .variable = variable,
                          .object = bound,
                          .is_open = true,
                          .is_running = variable->continuous};
  handles = made;
  for (int k = 0; k < numbers_of(variable); ++k) set_value(made, k, has_books(variable) ? 0 : totals_of(made)[k]);
  *handle = (MPI_T_pvar_handle)made;
  give(count, is_empty(index) ? 0 : variable->count);
  return MPI_SUCCESS;
}

static struct handle *opened(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  struct handle *one = (struct handle *)handle;
  if (handle == MPI_T_PVAR_HANDLE_NULL || handle == MPI_T_PVAR_ALL_HANDLES) return NULL;
  return one->is_open && (MPI_T_pvar_session)one->session == session ? one : NULL;
}

/* For errors that are wanted of a variable. */
static int index_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  struct handle *one = opened(session, handle);
  return one == NULL ? -1 : number_of(one);
}

#define BEGIN_WITH_SESSION(handle)  \
  BEGIN(index_of(session, handle)); \
  if (!is_session(session)) return MPI_T_ERR_INVALID_SESSION

/* The handle as `one`, or the answer. */
#define BEGIN_WITH_HANDLE(wanted)               \
  BEGIN_WITH_SESSION(wanted);                   \
  struct handle *one = opened(session, wanted); \
  if (one == NULL) return MPI_T_ERR_INVALID_HANDLE

int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle) {
  BEGIN_WITH_HANDLE(*handle);
  one->is_open = false;
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

static int start(struct handle *one) {
  if (one->variable->continuous) return MPI_T_ERR_PVAR_NO_STARTSTOP;
  for (int k = 0; k < numbers_of(one->variable); ++k) set_value(one, k, value_of(one, k));
  one->is_running = true;
  return MPI_SUCCESS;
}

static int stop(struct handle *one) {
  if (one->variable->continuous) return MPI_T_ERR_PVAR_NO_STARTSTOP;
  for (int k = 0; k < numbers_of(one->variable); ++k) one->last[k] = value_of(one, k);
  one->is_running = false;
  return MPI_SUCCESS;
}

/* Those that are shared begin at what is now: the level. */
static int reset(struct handle *one) {
  if (one->variable->readonly) return MPI_T_ERR_PVAR_NO_WRITE;
  for (int k = 0; k < numbers_of(one->variable); ++k) set_value(one, k, 0);
  if (number_of(one) == pv_high) performance_values[pv_high][0] = performance_values[pv_level][0];
  return MPI_SUCCESS;
}

/* Of all handles of a session that can do it. */
static int to_all(MPI_T_pvar_session session, int (*act)(struct handle *)) {
  if (!is_session(session)) return MPI_T_ERR_INVALID_SESSION;
  for (struct handle *one = handles; one != NULL; one = one->next)
    if (one->is_open && (MPI_T_pvar_session)one->session == session) act(one);
  return MPI_SUCCESS;
}

#define FOR_ONE_OR_ALL(name, act)                                      \
  int name(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {     \
    BEGIN_WITH_SESSION(handle);                                        \
    if (handle == MPI_T_PVAR_ALL_HANDLES) return to_all(session, act); \
    struct handle *one = opened(session, handle);                      \
    return one == NULL ? MPI_T_ERR_INVALID_HANDLE : act(one);          \
  }

FOR_ONE_OR_ALL(MPI_T_pvar_start, start)
FOR_ONE_OR_ALL(MPI_T_pvar_stop, stop)
FOR_ONE_OR_ALL(MPI_T_pvar_reset, reset)

static int read_into(struct handle *one, void *buffer) {
  const struct performance *variable = one->variable;
  if (!is_valid(variable) || (one->object != NULL && one->object->is_gone)) return MPI_T_ERR_INVALID_HANDLE;
  if (variable->type == MPI_CHAR) strcpy(buffer, "stand-in");
  for (int k = 0; k < numbers_of(variable); ++k) put(variable->type, buffer, k, value_of(one, k));
  return MPI_SUCCESS;
}

int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buffer) {
  BEGIN_WITH_HANDLE(handle);
  return read_into(one, buffer);
}

int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buffer) {
  BEGIN_WITH_HANDLE(handle);
  if (!one->variable->atomic) return MPI_T_ERR_PVAR_NO_ATOMIC;
  const int code = read_into(one, buffer);
  return code == MPI_SUCCESS ? reset(one) : code;
}

int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buffer) {
  BEGIN_WITH_HANDLE(handle);
  if (one->variable->readonly || !has_books(one->variable)) return MPI_T_ERR_PVAR_NO_WRITE;
  for (int k = 0; k < numbers_of(one->variable); ++k) set_value(one, k, get(one->variable->type, buffer, k));
  return MPI_SUCCESS;
}
