/* SPDX-License-Identifier: BSD-3-Clause */
/* use.c - works with the variables of the tool `offers` by plain MPI_T calls and prints what it is told. */

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "codes.h"

#define SAY(call) printf("  %s: %s\n", #call, name_of_code(call))

static MPI_T_pvar_session session;

static MPI_T_cvar_handle control(const char *name, int *count) {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int index = -1;
  const int found = MPI_T_cvar_get_index(name, &index);
  const int code = found == MPI_SUCCESS ? MPI_T_cvar_handle_alloc(index, NULL, &handle, count) : found;
  printf("%s: %s, %s, %d\n", name, name_of_code(found), name_of_code(code), *count);
  return handle;
}

static void use_controls(void) {
  int count = 0, value = 0;
  char text[32] = "";
  MPI_T_cvar_handle limit = control("offers_limit", &count);
  for (int wanted = -1; wanted < 200; wanted += 100) {
    SAY(MPI_T_cvar_write(limit, &wanted));
    SAY(MPI_T_cvar_read(limit, &value));
    printf("  wanted %d got %d\n", wanted, value);
  }
  const MPI_T_cvar_handle freed = limit;
  SAY(MPI_T_cvar_handle_free(&limit));
  printf("  null now: %d\n", limit == MPI_T_CVAR_HANDLE_NULL);
  SAY(MPI_T_cvar_read(freed, &value));
  MPI_T_cvar_handle title = control("offers_title", &count);
  SAY(MPI_T_cvar_write(title, "sixteen letters"));
  SAY(MPI_T_cvar_read(title, text));
  printf("  %s\n", text);
  MPI_T_cvar_handle fixed = control("offers_fixed", &count);
  SAY(MPI_T_cvar_write(fixed, &value));
  control("offers_none", &count);
}

static void use_texts(void) {
  char name[8] = "unused";
  int index = -1, length = 0, description_length = 0;
  MPI_T_cvar_get_index("offers_limit", &index);
  SAY(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  SAY(MPI_T_cvar_get_info(index, NULL, &length, NULL, NULL, NULL, NULL, &description_length, NULL, NULL));
  printf("  lengths %d %d\n", length, description_length);
  length = 0;
  SAY(MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  printf("  no room: %s, length %d\n", name, length);
  length = 7;
  SAY(MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  printf("  cut: %s, length %d\n", name, length);
}

static void use_class(const char *name, int class) {
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  int index = -1, count = 0;
  unsigned long value[3] = {0}, twenty[3] = {20, 20, 20};
  const int found = MPI_T_pvar_get_index(name, class, &index);
  const int code = MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
  printf("%s: %s, %s, %d\n", name, name_of_code(found), name_of_code(code), count);
  SAY(MPI_T_pvar_start(session, handle));
  for (int i = 0; i < 2; ++i) {
    MPI_Barrier(MPI_COMM_SELF);
    SAY(MPI_T_pvar_read(session, handle, value));
    printf("  %lx %lx %lx\n", value[0], value[1], value[2]);
    if (i == 0) SAY(MPI_T_pvar_stop(session, handle));
  }
  SAY(MPI_T_pvar_start(session, handle));
  SAY(MPI_T_pvar_reset(session, handle));
  MPI_Barrier(MPI_COMM_SELF);
  SAY(MPI_T_pvar_readreset(session, handle, value));
  printf("  %lx %lx %lx\n", value[0], value[1], value[2]);
  SAY(MPI_T_pvar_write(session, handle, twenty));
  MPI_Barrier(MPI_COMM_SELF);
  SAY(MPI_T_pvar_read(session, handle, value));
  printf("  %lx %lx %lx\n", value[0], value[1], value[2]);
  SAY(MPI_T_pvar_handle_free(session, &handle));
}

static void use_classes(void) {
  use_class("offers_state", MPI_T_PVAR_CLASS_STATE);
  use_class("offers_level", MPI_T_PVAR_CLASS_LEVEL);
  use_class("offers_size", MPI_T_PVAR_CLASS_SIZE);
  use_class("offers_percentage", MPI_T_PVAR_CLASS_PERCENTAGE);
  use_class("offers_highwatermark", MPI_T_PVAR_CLASS_HIGHWATERMARK);
  use_class("offers_lowwatermark", MPI_T_PVAR_CLASS_LOWWATERMARK);
  use_class("offers_counter", MPI_T_PVAR_CLASS_COUNTER);
  use_class("offers_aggregate", MPI_T_PVAR_CLASS_AGGREGATE);
  use_class("offers_timer", MPI_T_PVAR_CLASS_TIMER);
  use_class("offers_generic", MPI_T_PVAR_CLASS_GENERIC);
}

/* The tool reads the handle at the address that it was given, so the program must see its own handle's first bytes. */
static void use_object(const char *name, void *object) {
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  int index = -1, count = 0, value[2] = {0};
  MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_GENERIC, &index);
  const int without = MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
  const int code = MPI_T_pvar_handle_alloc(session, index, object, &handle, &count);
  MPI_T_pvar_read(session, handle, value);
  printf("%s: %s, %s, %d, its handle %d, open %d\n", name, name_of_code(without), name_of_code(code), count,
         memcmp(value, object, sizeof(int)) == 0, value[1]);
}

static void use_bindings(void) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Datatype type = MPI_INT;
  MPI_Errhandler handler = MPI_ERRORS_RETURN;
  MPI_File file = MPI_FILE_NULL;
  MPI_Group group = MPI_GROUP_EMPTY;
  MPI_Op op = MPI_SUM;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Info info = MPI_INFO_NULL;
  use_object("offers_bound_comm", &comm);
  use_object("offers_bound_datatype", &type);
  use_object("offers_bound_errhandler", &handler);
  use_object("offers_bound_file", &file);
  use_object("offers_bound_group", &group);
  use_object("offers_bound_op", &op);
  use_object("offers_bound_request", &request);
  use_object("offers_bound_win", &window);
  use_object("offers_bound_message", &message);
  use_object("offers_bound_info", &info);
}

/* Sessions: their handles are their own, and are freed with them. */
static void use_sessions(void) {
  MPI_T_pvar_session other = MPI_T_PVAR_SESSION_NULL, none = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle first = MPI_T_PVAR_HANDLE_NULL, second = MPI_T_PVAR_HANDLE_NULL, third = MPI_T_PVAR_HANDLE_NULL;
  int index = -1, timer = -1, count = 0;
  unsigned long value[3] = {0};
  MPI_T_pvar_get_index("offers_counter", MPI_T_PVAR_CLASS_COUNTER, &index);
  MPI_T_pvar_get_index("offers_timer", MPI_T_PVAR_CLASS_TIMER, &timer);
  MPI_T_pvar_session_create(&other);
  SAY(MPI_T_pvar_handle_alloc(none, index, NULL, &first, &count));
  MPI_T_pvar_handle_alloc(session, index, NULL, &first, &count);
  MPI_T_pvar_handle_alloc(other, index, NULL, &second, &count);
  MPI_T_pvar_handle_alloc(other, timer, NULL, &third, &count);
  SAY(MPI_T_pvar_start(other, MPI_T_PVAR_ALL_HANDLES));
  MPI_Barrier(MPI_COMM_SELF);
  MPI_T_pvar_read(session, first, &value[0]);
  MPI_T_pvar_read(other, second, &value[1]);
  SAY(MPI_T_pvar_reset(other, MPI_T_PVAR_ALL_HANDLES));
  MPI_T_pvar_read(other, second, &value[2]);
  printf("  not started %lu, started %lu, reset %lu\n", value[0], value[1], value[2]);
  SAY(MPI_T_pvar_stop(other, MPI_T_PVAR_ALL_HANDLES));
  SAY(MPI_T_pvar_read(session, second, value));
  SAY(MPI_T_pvar_read(none, second, value));
  SAY(MPI_T_pvar_handle_free(session, &second));
  const MPI_T_pvar_session freed = other;
  SAY(MPI_T_pvar_session_free(&other));
  SAY(MPI_T_pvar_read(session, second, value));
  SAY(MPI_T_pvar_read(freed, second, value));
}

/* What was added while MPI runs comes behind everything; what was told before stays. */
static void use_late(int before) {
  char name[64] = "", last[64] = "";
  int length = 64, count = 0, index = -1;
  MPI_T_cvar_get_index("offers_limit", &index);
  MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  MPI_T_cvar_get_num(&count);
  length = 64;
  MPI_T_cvar_get_info(count - 1, last, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  printf("%d variables later: %s, the last is %s\n", count - before, name, last);
}

int main(int argc, char *argv[]) {
  int provided = 0, before = 0, stamp = 0, changed = 0;
  printf("too early: %s\n", name_of_code(MPI_T_cvar_get_num(&before)));
  printf("too early: %s\n", name_of_code(MPI_T_cvar_get_index("offers_limit", &before)));
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_cvar_get_num(&before);
  MPI_T_category_changed(&stamp);
  MPI_T_pvar_session_create(&session);
  use_controls();
  use_texts();
  use_classes();
  use_bindings();
  use_sessions();
  use_late(before);
  MPI_T_category_changed(&changed);
  printf("changed: %d\n", changed != stamp);
  MPI_Finalize();
  printf("after MPI_Finalize\n");
  use_controls();
  return 0;
}
