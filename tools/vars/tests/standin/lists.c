/* SPDX-License-Identifier: BSD-3-Clause */
/* lists.c - starting MPI_T, errors on demand, values and texts, enumerations and categories. */

#include <stdlib.h>
#include <string.h>

#include "standin.h"

int initializations;

/* Whether STANDIN_MPI_T_ERRORS has the function, alone or with the index. */
static bool is_to_fail(const char *function, int index) {
  const char *list = getenv("STANDIN_MPI_T_ERRORS");
  const size_t length = strlen(function);
  for (const char *at = list; at != NULL; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (strncmp(at, function, length) != 0) continue;
    if (at[length] == '\0' || at[length] == ',') return true;
    if (at[length] == ':' && atoi(at + length + 1) == index) return true;
  }
  return false;
}

int answer_of(const char *function, int index) {
  if (is_to_fail(function, index)) return MPI_T_ERR_INVALID;
  return initializations > 0 || strcmp(function, "MPI_T_init_thread") == 0 ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}

int MPI_T_init_thread(int required, int *provided) {
  BEGIN(-1);
  ++initializations;
  give(provided, getenv("STANDIN_MPI_T_ALONE") == NULL ? required : MPI_THREAD_SINGLE);
  return MPI_SUCCESS;
}

int MPI_T_finalize(void) {
  BEGIN(-1);
  --initializations;
  return MPI_SUCCESS;
}

void put(MPI_Datatype type, void *buffer, int element, number value) {
  if (type == MPI_INT) ((int *)buffer)[element] = (int)value;
  else if (type == MPI_UNSIGNED) ((unsigned *)buffer)[element] = (unsigned)(unsigned long long)value;
  else if (type == MPI_UNSIGNED_LONG) ((unsigned long *)buffer)[element] = (unsigned long)value;
  else if (type == MPI_UNSIGNED_LONG_LONG) ((unsigned long long *)buffer)[element] = (unsigned long long)value;
  else if (type == MPI_COUNT) ((MPI_Count *)buffer)[element] = (MPI_Count)value;
  else if (type == MPI_DOUBLE) ((double *)buffer)[element] = (double)value;
}

number get(MPI_Datatype type, const void *buffer, int element) {
  if (type == MPI_INT) return ((const int *)buffer)[element];
  if (type == MPI_UNSIGNED) return ((const unsigned *)buffer)[element];
  if (type == MPI_UNSIGNED_LONG) return ((const unsigned long *)buffer)[element];
  if (type == MPI_UNSIGNED_LONG_LONG) return ((const unsigned long long *)buffer)[element];
  if (type == MPI_COUNT) return ((const MPI_Count *)buffer)[element];
  return ((const double *)buffer)[element];
}

void give(int *out, int value) {
  if (out != NULL) *out = value;
}

/* Cut to the room that there is; then the length that it would have needed. */
void give_text(const char *text, char *out, int *length) {
  if (length == NULL) return;
  if (out != NULL && *length > 0) {
    strncpy(out, text, (size_t)*length - 1);
    out[*length - 1] = '\0';
  }
  *length = (int)strlen(text) + 1;
}

int MPI_T_enum_get_info(MPI_T_enum handle, int *count, char *name, int *name_length) {
  BEGIN(-1);
  const struct enumeration *items = (const struct enumeration *)handle;
  if (items != &phase && items != &colour) return MPI_T_ERR_INVALID_HANDLE;
  give(count, items->count);
  give_text(items->name, name, name_length);
  return MPI_SUCCESS;
}

int MPI_T_enum_get_item(MPI_T_enum handle, int index, int *value, char *name, int *name_length) {
  BEGIN(index);
  const struct enumeration *items = (const struct enumeration *)handle;
  if (items != &phase && items != &colour) return MPI_T_ERR_INVALID_HANDLE;
  if (index < 0 || index >= items->count) return MPI_T_ERR_INVALID_ITEM;
  give(value, items->items[index].value);
  give_text(items->items[index].name, name, name_length);
  return MPI_SUCCESS;
}

static const struct {
  const char *name, *description;
} categories[category_count] = {[all_of_it] = {"standin", "all that the stand-in has"},
                                [in_classes] = {"standin_classes", "variables of every class, type and scope"},
                                [in_bindings] = {"standin_bindings", "variables of objects"},
                                [in_pools] = {"standin_pools", "pools of buffers"},
                                [in_late] = {"standin_late", "what is there only later"}};

enum kind { control_variables, performance_variables, inner_categories };

static int categories_now(void) { return category_count - !is_late(); }

static bool is_in(int category, enum kind kind, int index) {
  if (kind == control_variables) return controls[index].category == category;
  if (kind == performance_variables) return performances[index].category == category;
  return category == all_of_it && index != all_of_it;
}

/* What is in a category, as many as there is room for; how many there are. */
static int members(int category, enum kind kind, int room, int *out) {
  const int limits[] = {control_count(), performance_count(), categories_now()};
  int found = 0;
  for (int i = 0; i < limits[kind]; ++i) {
    if (!is_in(category, kind, i)) continue;
    if (found < room) out[found] = i;
    ++found;
  }
  return found;
}

int MPI_T_category_get_num(int *count) {
  BEGIN(-1);
  give(count, categories_now());
  return MPI_SUCCESS;
}

int MPI_T_category_get_info(int index, char *name, int *name_length, char *text, int *text_length, int *control_number,
                            int *performance_number, int *category_number) {
  BEGIN(index);
  if (index < 0 || index >= categories_now()) return MPI_T_ERR_INVALID_INDEX;
  give_text(categories[index].name, name, name_length);
  give_text(categories[index].description, text, text_length);
  give(control_number, members(index, control_variables, 0, NULL));
  give(performance_number, members(index, performance_variables, 0, NULL));
  give(category_number, members(index, inner_categories, 0, NULL));
  return MPI_SUCCESS;
}

int MPI_T_category_get_index(const char *name, int *index) {
  BEGIN(-1);
  for (int i = 0; i < categories_now(); ++i)
    if (strcmp(categories[i].name, name) == 0) return *index = i, MPI_SUCCESS;
  return MPI_T_ERR_INVALID_NAME;
}

static int indices_of(int index, enum kind kind, int room, int out[]) {
  if (index < 0 || index >= categories_now()) return MPI_T_ERR_INVALID_INDEX;
  members(index, kind, room, out);
  return MPI_SUCCESS;
}

int MPI_T_category_get_cvars(int index, int room, int out[]) {
  BEGIN(index);
  return indices_of(index, control_variables, room, out);
}

int MPI_T_category_get_pvars(int index, int room, int out[]) {
  BEGIN(index);
  return indices_of(index, performance_variables, room, out);
}

int MPI_T_category_get_categories(int index, int room, int out[]) {
  BEGIN(index);
  return indices_of(index, inner_categories, room, out);
}

int MPI_T_category_changed(int *stamp) {
  BEGIN(-1);
  *stamp = is_late();
  return MPI_SUCCESS;
}
