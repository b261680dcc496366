/* SPDX-License-Identifier: BSD-3-Clause */
/* objects.c - the program's objects, what moves the variables that are bound to them, and their end. */

#include <stdlib.h>
#include <string.h>

#include "model.h"

static struct object *objects;

static size_t size_of_handle(int binding) {
  if (binding == MPI_T_BIND_MPI_COMM) return sizeof(MPI_Comm);
  if (binding == MPI_T_BIND_MPI_DATATYPE) return sizeof(MPI_Datatype);
  if (binding == MPI_T_BIND_MPI_ERRHANDLER) return sizeof(MPI_Errhandler);
  if (binding == MPI_T_BIND_MPI_FILE) return sizeof(MPI_File);
  if (binding == MPI_T_BIND_MPI_GROUP) return sizeof(MPI_Group);
  if (binding == MPI_T_BIND_MPI_OP) return sizeof(MPI_Op);
  if (binding == MPI_T_BIND_MPI_REQUEST) return sizeof(MPI_Request);
  if (binding == MPI_T_BIND_MPI_WIN) return sizeof(MPI_Win);
  if (binding == MPI_T_BIND_MPI_MESSAGE) return sizeof(MPI_Message);
  if (binding == MPI_T_BIND_MPI_INFO) return sizeof(MPI_Info);
  return 0;
}

static struct object *find(int binding, const void *handle, size_t size) {
  for (struct object *one = objects; one != NULL; one = one->next)
    if (one->binding == binding && !one->is_gone && !one->is_leaving && memcmp(one->handle, handle, size) == 0)
      return one;
  return NULL;
}

struct object *object_of(int binding, const void *handle) {
  const size_t size = size_of_handle(binding);
  if (size == 0 || handle == NULL) return NULL;
  struct object *known = find(binding, handle, size);
  if (known != NULL) return known;
  struct object *made = calloc(1, sizeof *made);
  *made = (struct object){.next = objects, .binding = binding, .size = size};
  memcpy(made->handle, handle, size);
  return objects = made;
}

/* What has gone leaves the list: a program may make very many objects. */
static void drop_gone(void) {
  for (struct object **at = &objects; *at != NULL;) {
    (*at)->is_gone |= (*at)->is_leaving;
    if ((*at)->is_gone) *at = (*at)->next;
    else at = &(*at)->next;
  }
}

void move_object(int binding, const void *handle) {
  drop_gone();
  struct object *one = object_of(binding, handle);
  one->values[0] += 1;
  one->values[1] += 10;
}

/* Never freed: handles of MPI_T may still lead to it, which then are invalid. */
void lose_object(int binding, const void *handle) {
  struct object *known = find(binding, handle, size_of_handle(binding));
  if (known != NULL) known->is_gone = true;
}

static void moves(int binding, const void *handle) {
  begin();
  move_object(binding, handle);
  end(NULL);
}

static void ends(int binding, const void *handle) {
  begin();
  lose_object(binding, handle);
  end(NULL);
}

#define MOVES(kind, handle) moves(MPI_T_BIND_MPI_##kind, &(handle))
#define ENDS(kind, handle) ends(MPI_T_BIND_MPI_##kind, handle)

int MPI_Win_fence(int assert, MPI_Win win) { return MOVES(WIN, win), PMPI_Win_fence(assert, win); }
int MPI_File_write(MPI_File file, const void *from, int count, MPI_Datatype type, MPI_Status *status) {
  return MOVES(FILE, file), PMPI_File_write(file, from, count, type, status);
}
int MPI_Type_commit(MPI_Datatype *type) { return MOVES(DATATYPE, *type), PMPI_Type_commit(type); }
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return MOVES(ERRHANDLER, handler), PMPI_Comm_set_errhandler(comm, handler);
}
int MPI_Group_size(MPI_Group group, int *size) { return MOVES(GROUP, group), PMPI_Group_size(group, size); }
int MPI_Reduce_local(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op) {
  return MOVES(OP, op), PMPI_Reduce_local(from, to, count, type, op);
}
int MPI_Start(MPI_Request *request) { return MOVES(REQUEST, *request), PMPI_Start(request); }
int MPI_Info_set(MPI_Info info, const char *key, const char *value) {
  return MOVES(INFO, info), PMPI_Info_set(info, key, value);
}
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  const int code = PMPI_Mprobe(source, tag, comm, message, status);
  if (code == MPI_SUCCESS) MOVES(MESSAGE, *message);
  return code;
}

/* Where the program calls PMPI_Comm_free or PMPI_Win_free: the object is valid until that comes back. */
static void leaves(int binding, const void *handle) {
  begin();
  struct object *known = find(binding, handle, size_of_handle(binding));
  if (known != NULL) known->is_leaving = true;
  end(NULL);
}
static int comm_leaves(MPI_Comm comm, int key, void *value, void *extra) {
  (void)key, (void)value, (void)extra;
  return leaves(MPI_T_BIND_MPI_COMM, &comm), MPI_SUCCESS;
}
static int win_leaves(MPI_Win win, int key, void *value, void *extra) {
  (void)key, (void)value, (void)extra;
  return leaves(MPI_T_BIND_MPI_WIN, &win), MPI_SUCCESS;
}
static int comm_key = MPI_KEYVAL_INVALID, win_key = MPI_KEYVAL_INVALID;
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_leaves, &comm_key, NULL);
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, win_leaves, &win_key, NULL);
  return code;
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  const int code = PMPI_Comm_dup(comm, made);
  if (comm_key != MPI_KEYVAL_INVALID) PMPI_Comm_set_attr(*made, comm_key, NULL);
  return code;
}
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made) {
  const int code = PMPI_Win_allocate(size, unit, info, comm, base, made);
  if (win_key != MPI_KEYVAL_INVALID) PMPI_Win_set_attr(*made, win_key, NULL);
  return code;
}

int MPI_Comm_free(MPI_Comm *comm) { return ENDS(COMM, comm), PMPI_Comm_free(comm); }
int MPI_Win_free(MPI_Win *win) { return ENDS(WIN, win), PMPI_Win_free(win); }
int MPI_File_close(MPI_File *file) { return ENDS(FILE, file), PMPI_File_close(file); }
int MPI_Type_free(MPI_Datatype *type) { return ENDS(DATATYPE, type), PMPI_Type_free(type); }
int MPI_Errhandler_free(MPI_Errhandler *handler) { return ENDS(ERRHANDLER, handler), PMPI_Errhandler_free(handler); }
int MPI_Group_free(MPI_Group *group) { return ENDS(GROUP, group), PMPI_Group_free(group); }
int MPI_Op_free(MPI_Op *op) { return ENDS(OP, op), PMPI_Op_free(op); }
int MPI_Request_free(MPI_Request *request) { return ENDS(REQUEST, request), PMPI_Request_free(request); }
int MPI_Info_free(MPI_Info *info) { return ENDS(INFO, info), PMPI_Info_free(info); }
int MPI_Mrecv(void *to, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  return ENDS(MESSAGE, message), PMPI_Mrecv(to, count, type, message, status);
}
