/* SPDX-License-Identifier: BSD-3-Clause */
/* events.c - the stand-in's events (MPI 4): "standin_barrier", of a communicator, told at each MPI_Barrier, with the
 * number of barriers so far and a half of it. */

#include "model.h"

#if MPI_VERSION < 4

void raise_events(MPI_Comm comm) { (void)comm; }

#else

#include <stdlib.h>
#include <string.h>

/* What an instance has, as MPI_T_event_copy gives it. */
struct barrier {
  unsigned long count;
  double half;
};

struct registration {
  struct registration *next;
  MPI_Comm comm;
  bool is_open;
  MPI_T_event_cb_function *tell;
  void *user_data;
  struct barrier now;
};

static struct registration *registrations;
static MPI_Count barriers;

void raise_events(MPI_Comm comm) {
  begin();
  const unsigned long count = (unsigned long)++barriers;
  end(NULL);
  for (struct registration *one = registrations; one != NULL; one = one->next) {
    if (!one->is_open || one->comm != comm || one->tell == NULL) continue;
    one->now = (struct barrier){count, (double)count / 2};
    one->tell((MPI_T_event_instance)one, (MPI_T_event_registration)one, MPI_T_CB_REQUIRE_NONE, one->user_data);
  }
}

int MPI_T_source_get_num(int *count) {
  BEGIN(-1);
  give(count, 1);
  return MPI_SUCCESS;
}

int MPI_T_source_get_info(int index, char *name, int *name_length, char *text, int *text_length,
                          MPI_T_source_order *order, MPI_Count *ticks_per_second, MPI_Count *most_ticks,
                          MPI_Info *info) {
  BEGIN(index);
  if (index != 0) return MPI_T_ERR_INVALID_INDEX;
  give_text("standin", name, name_length);
  give_text("one tick for each barrier", text, text_length);
  if (order != NULL) *order = MPI_T_SOURCE_ORDERED;
  if (ticks_per_second != NULL) *ticks_per_second = 1;
  if (most_ticks != NULL) *most_ticks = (MPI_Count)1 << 62;
  if (info != NULL) *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

int MPI_T_source_get_timestamp(int index, MPI_Count *timestamp) {
  BEGIN(index);
  if (index != 0) return MPI_T_ERR_INVALID_INDEX;
  *timestamp = barriers;
  return MPI_SUCCESS;
}

int MPI_T_category_get_num_events(int index, int *count) {
  BEGIN(index);
  if (index < 0 || index >= category_count) return MPI_T_ERR_INVALID_INDEX;
  give(count, index == in_classes);
  return MPI_SUCCESS;
}

int MPI_T_category_get_events(int index, int room, int out[]) {
  BEGIN(index);
  if (index < 0 || index >= category_count) return MPI_T_ERR_INVALID_INDEX;
  if (index == in_classes && room > 0) out[0] = 0;
  return MPI_SUCCESS;
}

int MPI_T_event_get_num(int *count) {
  BEGIN(-1);
  give(count, 1);
  return MPI_SUCCESS;
}

int MPI_T_event_get_info(int index, char *name, int *name_length, int *verbosity, MPI_Datatype types[],
                         MPI_Aint displacements[], int *count, MPI_T_enum *items, MPI_Info *info, char *text,
                         int *text_length, int *binding) {
  BEGIN(index);
  if (index != 0) return MPI_T_ERR_INVALID_INDEX;
  const MPI_Datatype all_types[] = {MPI_UNSIGNED_LONG, MPI_DOUBLE};
  const MPI_Aint all_displacements[] = {offsetof(struct barrier, count), offsetof(struct barrier, half)};
  const int room = count == NULL ? 0 : *count;
  for (int i = 0; i < 2 && i < room; ++i) {
    if (types != NULL) types[i] = all_types[i];
    if (displacements != NULL) displacements[i] = all_displacements[i];
  }
  give(count, 2);
  give_text("standin_barrier", name, name_length);
  give_text("a barrier begins", text, text_length);
  give(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  give(binding, MPI_T_BIND_MPI_COMM);
  if (items != NULL) *items = MPI_T_ENUM_NULL;
  if (info != NULL) *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

int MPI_T_event_get_index(const char *name, int *index) {
  BEGIN(-1);
  if (strcmp(name, "standin_barrier") != 0) return MPI_T_ERR_INVALID_NAME;
  give(index, 0);
  return MPI_SUCCESS;
}

int MPI_T_event_handle_alloc(int index, void *object, MPI_Info info, MPI_T_event_registration *out) {
  BEGIN(index);
  (void)info;
  if (index != 0) return MPI_T_ERR_INVALID_INDEX;
  if (object == NULL) return MPI_T_ERR_INVALID;
  struct registration *made = calloc(1, sizeof *made);
  *made = (struct registration){.next = registrations, .comm = *(MPI_Comm *)object, .is_open = true};
  registrations = made;
  *out = (MPI_T_event_registration)made;
  return MPI_SUCCESS;
}

/* The registration as `one`, or the answer. Never given back, so that a use after the end is seen. */
#define BEGIN_WITH(wanted)                                    \
  BEGIN(0);                                                   \
  struct registration *one = (struct registration *)(wanted); \
  if (one == NULL || !one->is_open) return MPI_T_ERR_INVALID_HANDLE

static int close_registration(MPI_T_event_registration handle) {
  const int code = answer_of("MPI_T_event_handle_free", 0);
  struct registration *one = (struct registration *)handle;
  if (code != MPI_SUCCESS) return code;
  if (one == NULL || !one->is_open) return MPI_T_ERR_INVALID_HANDLE;
  one->is_open = false;
  return MPI_SUCCESS;
}

/* The program's function may call MPI_T. */
int MPI_T_event_handle_free(MPI_T_event_registration handle, void *user_data, MPI_T_event_free_cb_function tell) {
  begin();
  const int code = close_registration(handle);
  end(NULL);
  if (code == MPI_SUCCESS && tell != NULL) tell(handle, MPI_T_CB_REQUIRE_NONE, user_data);
  return code;
}

int MPI_T_event_handle_set_info(MPI_T_event_registration handle, MPI_Info info) {
  BEGIN_WITH(handle);
  (void)info;
  return MPI_SUCCESS;
}

int MPI_T_event_handle_get_info(MPI_T_event_registration handle, MPI_Info *info) {
  BEGIN_WITH(handle);
  return PMPI_Info_create(info);
}

int MPI_T_event_register_callback(MPI_T_event_registration handle, MPI_T_cb_safety safety, MPI_Info info,
                                  void *user_data, MPI_T_event_cb_function tell) {
  BEGIN_WITH(handle);
  (void)info;
  if (safety != MPI_T_CB_REQUIRE_NONE) return MPI_SUCCESS; /* never told in such a place */
  one->tell = tell;
  one->user_data = user_data;
  return MPI_SUCCESS;
}

int MPI_T_event_callback_set_info(MPI_T_event_registration handle, MPI_T_cb_safety safety, MPI_Info info) {
  BEGIN_WITH(handle);
  (void)safety, (void)info;
  return MPI_SUCCESS;
}

int MPI_T_event_callback_get_info(MPI_T_event_registration handle, MPI_T_cb_safety safety, MPI_Info *info) {
  BEGIN_WITH(handle);
  (void)safety;
  return PMPI_Info_create(info);
}

int MPI_T_event_set_dropped_handler(MPI_T_event_registration handle, MPI_T_event_dropped_cb_function tell) {
  BEGIN_WITH(handle);
  (void)tell; /* none is ever dropped */
  return MPI_SUCCESS;
}

int MPI_T_event_read(MPI_T_event_instance instance, int element, void *buffer) {
  BEGIN_WITH(instance);
  if (element == 0) memcpy(buffer, &one->now.count, sizeof one->now.count);
  else if (element == 1) memcpy(buffer, &one->now.half, sizeof one->now.half);
  else return MPI_T_ERR_INVALID_INDEX;
  return MPI_SUCCESS;
}

int MPI_T_event_copy(MPI_T_event_instance instance, void *buffer) {
  BEGIN_WITH(instance);
  memcpy(buffer, &one->now, sizeof one->now);
  return MPI_SUCCESS;
}

int MPI_T_event_get_timestamp(MPI_T_event_instance instance, MPI_Count *timestamp) {
  BEGIN_WITH(instance);
  *timestamp = (MPI_Count)one->now.count;
  return MPI_SUCCESS;
}

int MPI_T_event_get_source(MPI_T_event_instance instance, int *source) {
  BEGIN_WITH(instance);
  give(source, 0);
  return MPI_SUCCESS;
}

#endif
