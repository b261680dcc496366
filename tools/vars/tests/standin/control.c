/* SPDX-License-Identifier: BSD-3-Clause */
/* control.c - the stand-in's control variables: told, read, written. */

#include <stdlib.h>
#include <string.h>

#include "standin.h"

struct handle {
  const struct control *variable;
  bool is_open; /* never given back, so that a use after the end is seen */
};

static char title[32];

static int number_of(const struct control *variable) { return (int)(variable - controls); }

int MPI_T_cvar_get_num(int *count) {
  BEGIN(-1);
  give(count, control_count());
  return MPI_SUCCESS;
}

int MPI_T_cvar_get_info(int index, char *name, int *name_length, int *verbosity, MPI_Datatype *type, MPI_T_enum *items,
                        char *text, int *text_length, int *binding, int *scope) {
  BEGIN(index);
  if (index < 0 || index >= control_count()) return MPI_T_ERR_INVALID_INDEX;
  const struct control *one = &controls[index];
  give_text(one->name, name, name_length);
  give_text(one->description, text, text_length);
  give(verbosity, one->verbosity);
  give(binding, one->binding);
  give(scope, one->scope);
  if (type != NULL) *type = one->type;
  if (items != NULL) *items = (MPI_T_enum)one->items;
  return MPI_SUCCESS;
}

int MPI_T_cvar_get_index(const char *name, int *index) {
  BEGIN(-1);
  for (int i = 0; i < control_count(); ++i)
    if (strcmp(controls[i].name, name) == 0) return *index = i, MPI_SUCCESS;
  return MPI_T_ERR_INVALID_NAME;
}

int MPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *out, int *count) {
  BEGIN(index);
  if (index < 0 || index >= control_count()) return MPI_T_ERR_INVALID_INDEX;
  const struct control *one = &controls[index];
  if (one->binding != MPI_T_BIND_NO_OBJECT && object_of(one->binding, object) == NULL) return MPI_T_ERR_INVALID;
  struct handle *made = malloc(sizeof *made);
  *made = (struct handle){one, true};
  *out = (MPI_T_cvar_handle)made;
  give(count, one->count);
  return MPI_SUCCESS;
}

static struct handle *opened(MPI_T_cvar_handle handle) {
  struct handle *one = (struct handle *)handle;
  return one != NULL && one->is_open ? one : NULL;
}

/* For errors that are wanted of a variable. */
static int index_of(MPI_T_cvar_handle handle) {
  struct handle *one = opened(handle);
  return one == NULL ? -1 : number_of(one->variable);
}

int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle) {
  BEGIN(index_of(*handle));
  struct handle *one = opened(*handle);
  if (one == NULL) return MPI_T_ERR_INVALID_HANDLE;
  one->is_open = false;
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buffer) {
  BEGIN(index_of(handle));
  struct handle *one = opened(handle);
  if (one == NULL) return MPI_T_ERR_INVALID_HANDLE;
  const struct control *variable = one->variable;
  if (variable->type == MPI_CHAR) return strcpy(buffer, *title != '\0' ? title : variable->text), MPI_SUCCESS;
  for (int k = 0; k < variable->count; ++k) put(variable->type, buffer, k, control_values[number_of(variable)][k]);
  return MPI_SUCCESS;
}

static bool is_after_init(void) {
  int flag = 0;
  PMPI_Initialized(&flag);
  return flag != 0;
}

static bool is_item(const struct enumeration *items, int value) {
  for (int i = 0; i < items->count; ++i)
    if (items->items[i].value == value) return true;
  return false;
}

int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buffer) {
  BEGIN(index_of(handle));
  struct handle *one = opened(handle);
  if (one == NULL) return MPI_T_ERR_INVALID_HANDLE;
  const struct control *variable = one->variable;
  if (variable->scope == MPI_T_SCOPE_CONSTANT || variable->scope == MPI_T_SCOPE_READONLY)
    return MPI_T_ERR_CVAR_SET_NEVER;
  if (variable->not_now && is_after_init()) return MPI_T_ERR_CVAR_SET_NOT_NOW;
  if (variable->type == MPI_CHAR) return strncpy(title, buffer, sizeof title - 1), MPI_SUCCESS;
  if (variable->items != NULL && !is_item(variable->items, *(const int *)buffer)) return MPI_T_ERR_INVALID;
  for (int k = 0; k < variable->count; ++k) control_values[number_of(variable)][k] = get(variable->type, buffer, k);
  resize_pools();
  return MPI_SUCCESS;
}
