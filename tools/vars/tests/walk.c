/* SPDX-License-Identifier: BSD-3-Clause */
/* walk.c - a program that uses MPI_T as the standard has it, on whatever library it finds, and prints what it is told.
 *
 *   walk           every control and performance variable, before and after three barriers
 *   walk pools     the buffers that messages take, and what the control variables do to them
 *   walk events    (MPI 4) what is told of barriers
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codes.h"

#define CHECK(call)                                                         \
  do {                                                                      \
    const int code = call;                                                  \
    if (code != MPI_SUCCESS) printf("%s: %s\n", #call, name_of_code(code)); \
  } while (0)

enum { most = 64 };
static MPI_T_pvar_session session;
static MPI_Comm world;
static MPI_Win win;

/* The object that a variable is asked of; null: none at hand. */
static void *object_for(int binding) {
  static MPI_Datatype type = MPI_INT;
  static MPI_Op op = MPI_SUM;
  if (binding == MPI_T_BIND_MPI_COMM) return &world;
  if (binding == MPI_T_BIND_MPI_DATATYPE) return &type;
  if (binding == MPI_T_BIND_MPI_OP) return &op;
  return binding == MPI_T_BIND_MPI_WIN ? &win : NULL;
}

static void print_values(MPI_Datatype type, const void *buffer, int count) {
  for (int i = 0; i < count; ++i) {
    if (type == MPI_INT) printf(" %d", ((const int *)buffer)[i]);
    else if (type == MPI_UNSIGNED) printf(" %u", ((const unsigned *)buffer)[i]);
    else if (type == MPI_UNSIGNED_LONG) printf(" %lu", ((const unsigned long *)buffer)[i]);
    else if (type == MPI_UNSIGNED_LONG_LONG) printf(" %llu", ((const unsigned long long *)buffer)[i]);
    else if (type == MPI_COUNT) printf(" %lld", (long long)((const MPI_Count *)buffer)[i]);
    else if (type == MPI_DOUBLE) printf(" %g", ((const double *)buffer)[i]);
    else if (i == 0) printf(" '%s'", (const char *)buffer);
  }
}

static void walk_control(int index) {
  char name[100], buffer[most * 8] = "";
  int length = sizeof name, binding = 0, count = 0;
  MPI_Datatype type;
  MPI_T_cvar_handle handle;
  CHECK(MPI_T_cvar_get_info(index, name, &length, NULL, &type, NULL, NULL, NULL, &binding, NULL));
  if (binding != MPI_T_BIND_NO_OBJECT && object_for(binding) == NULL) return;
  CHECK(MPI_T_cvar_handle_alloc(index, object_for(binding), &handle, &count));
  CHECK(MPI_T_cvar_read(handle, buffer));
  printf("%s:", name);
  print_values(type, buffer, count);
  printf(", writing it: %s\n", name_of_code(MPI_T_cvar_write(handle, buffer)));
  CHECK(MPI_T_cvar_handle_free(&handle));
}

static void walk_performance(int index) {
  char name[100], buffer[most * 8] = "";
  int length = sizeof name, binding = 0, count = 0, of_class = 0, again = -1;
  MPI_Datatype type;
  MPI_T_pvar_handle handle;
  CHECK(
      MPI_T_pvar_get_info(index, name, &length, NULL, &of_class, &type, NULL, NULL, NULL, &binding, NULL, NULL, NULL));
  CHECK(MPI_T_pvar_get_index(name, of_class, &again));
  if (again != index) printf("index %d is %d by name\n", index, again);
  if (binding != MPI_T_BIND_NO_OBJECT && object_for(binding) == NULL) return;
  CHECK(MPI_T_pvar_handle_alloc(session, index, object_for(binding), &handle, &count));
  CHECK(MPI_T_pvar_read(session, handle, buffer));
  printf("%s:", name);
  print_values(type, buffer, count);
  printf(", start %s", name_of_code(MPI_T_pvar_start(session, handle)));
  for (int i = 0; i < 3; ++i) MPI_Barrier(world);
  MPI_Win_fence(0, win);
  CHECK(MPI_T_pvar_read(session, handle, buffer));
  print_values(type, buffer, count);
  printf(", stop %s", name_of_code(MPI_T_pvar_stop(session, handle)));
  MPI_Barrier(world);
  CHECK(MPI_T_pvar_read(session, handle, buffer));
  print_values(type, buffer, count);
  printf(", readreset %s", name_of_code(MPI_T_pvar_readreset(session, handle, buffer)));
  printf(", reset %s", name_of_code(MPI_T_pvar_reset(session, handle)));
  printf(", write %s\n", name_of_code(MPI_T_pvar_write(session, handle, buffer)));
  CHECK(MPI_T_pvar_handle_free(session, &handle));
}

static void walk(void) {
  int count = 0, *memory, rank = 0;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, world, &memory, &win);
  CHECK(MPI_T_cvar_get_num(&count));
  for (int i = 0; i < count; ++i) walk_control(i);
  CHECK(MPI_T_pvar_get_num(&count));
  for (int i = 0; i < count; ++i) walk_performance(i);
  MPI_Comm_rank(world, &rank);
  CHECK(MPI_T_pvar_get_num(&rank));
  printf("%d performance variables, then %d\n", count, rank);
  MPI_Win_free(&win);
}

static void print_performance(const char *name, int of_class) {
  unsigned long long values[most];
  int index = -1, count = 0;
  MPI_T_pvar_handle handle;
  CHECK(MPI_T_pvar_get_index(name, of_class, &index));
  CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
  CHECK(MPI_T_pvar_read(session, handle, values));
  CHECK(MPI_T_pvar_handle_free(session, &handle));
  printf(" %s", name);
  print_values(MPI_UNSIGNED_LONG_LONG, values, count);
}

static void print_pools(const char *when) {
  printf("%s:", when);
  print_performance("mv2_vbuf_allocated_array", MPI_T_PVAR_CLASS_LEVEL);
  print_performance("mv2_vbuf_max_use_array", MPI_T_PVAR_CLASS_HIGHWATERMARK);
  print_performance("mv2_total_vbuf_memory", MPI_T_PVAR_CLASS_SIZE);
  printf("\n");
}

static void set(const char *name, const int *values) {
  int index = -1, count = 0;
  MPI_T_cvar_handle handle;
  CHECK(MPI_T_cvar_get_index(name, &index));
  CHECK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
  CHECK(MPI_T_cvar_write(handle, values));
  CHECK(MPI_T_cvar_handle_free(&handle));
}

static void exchange(int bytes, int count) {
  static char out[32768], in[32768];
  MPI_Request requests[2 * 70];
  MPI_Status statuses[2 * 70];
  for (int i = 0; i < count; ++i) MPI_Irecv(in, bytes, MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < count; ++i) MPI_Isend(out, bytes, MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[count + i]);
  MPI_Waitall(2 * count, requests, statuses);
}

static void use_pools(void) {
  const int on = 1, fewer[] = {8, 8, 8, 8}, longer = 32768;
  print_pools("at first");
  exchange(200, 3);
  exchange(4096, 70);
  exchange(20000, 5);
  print_pools("three small, seventy of 4096 bytes, five that take none");
  set("MPIR_CVAR_VBUF_POOL_CONTROL", &on);
  print_pools("unused ones freed");
  set("MPIR_CVAR_VBUF_POOL_REDUCED_VALUE", fewer);
  print_pools("fewer kept");
  set("MPIR_CVAR_IBA_EAGER_THRESHOLD", &longer);
  set("MPIR_CVAR_VBUF_TOTAL_SIZE", &longer);
  exchange(20000, 10);
  print_pools("ten of 20000 bytes in larger ones");
}

#if MPI_VERSION >= 4
static void tell(MPI_T_event_instance instance, MPI_T_event_registration handle, MPI_T_cb_safety safety,
                 void *user_data) {
  unsigned long count = 0;
  double half = 0;
  MPI_Count ticks = 0;
  (void)handle, (void)safety, (void)user_data;
  CHECK(MPI_T_event_read(instance, 0, &count));
  CHECK(MPI_T_event_read(instance, 1, &half));
  CHECK(MPI_T_event_get_timestamp(instance, &ticks));
  printf("barrier %lu, half of it %g, tick %lld\n", count, half, (long long)ticks);
}

static void tell_end(MPI_T_event_registration handle, MPI_T_cb_safety safety, void *user_data) {
  (void)handle, (void)safety, (void)user_data;
  printf("end\n");
}

static void use_events(void) {
  int index = -1;
  MPI_T_event_registration handle;
  CHECK(MPI_T_event_get_index("standin_barrier", &index));
  CHECK(MPI_T_event_handle_alloc(index, &world, MPI_INFO_NULL, &handle));
  CHECK(MPI_T_event_register_callback(handle, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, tell));
  MPI_Barrier(world);
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Barrier(world);
  CHECK(MPI_T_event_handle_free(handle, NULL, tell_end));
  MPI_Barrier(world);
}
#else
static void use_events(void) {}
#endif

int main(int argc, char *argv[]) {
  int provided = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &world);
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  CHECK(MPI_T_pvar_session_create(&session));
  if (argc > 1 && strcmp(argv[1], "pools") == 0) use_pools();
  else if (argc > 1 && strcmp(argv[1], "events") == 0) use_events();
  else walk();
  CHECK(MPI_T_pvar_session_free(&session));
  CHECK(MPI_T_finalize());
  printf("%s\n", name_of_code(MPI_T_pvar_get_num(&provided)));
  MPI_Comm_free(&world);
  MPI_Finalize();
  return 0;
}
