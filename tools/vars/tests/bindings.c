/* SPDX-License-Identifier: BSD-3-Clause */
/* bindings.c - binds every performance variable of a library to every kind of object, and uses the handles */
/*
 * Says, line by line, "VARIABLE OBJECT: what went wrong": a crash, or under valgrind memory that is not the library's
 * to read. Each pair has a child process of its own. Run it on 3 ranks or more (tools/vars/README.md).
 *
 *   bindings [-intra] [NAME]...      without inter-communicators; only variables whose names begin so
 */

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_COUNT_ERRORS 0
#endif

struct object {
  int binding;
  const char *name;
  char handle[16];
};

static struct object objects[64];
static int object_count;
static int rank, ranks;
static int with_inter = 1;

#define ADD(binding, name, handle) add(binding, name, &(handle), sizeof(handle))
static void add(int binding, const char *name, const void *handle, size_t size) {
  struct object *const one = &objects[object_count++];
  one->binding = binding;
  one->name = name;
  memcpy(one->handle, handle, size);
}

static void add_communicators(void) {
  MPI_Comm made, part, world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
  const int period = 1, next = (rank + 1) % ranks, degree = 1, weight = 1;
  int index[64], edges[64];
  ADD(MPI_T_BIND_MPI_COMM, "world", world);
  ADD(MPI_T_BIND_MPI_COMM, "self", self);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  ADD(MPI_T_BIND_MPI_COMM, "dup", made);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &period, 0, &made);
  ADD(MPI_T_BIND_MPI_COMM, "cart", made);
  for (int i = 0; i < ranks && i < 64; ++i) index[i] = i + 1, edges[i] = (i + 1) % ranks;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &made);
  ADD(MPI_T_BIND_MPI_COMM, "graph", made);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, &weight, MPI_INFO_NULL, 0, &made);
  ADD(MPI_T_BIND_MPI_COMM, "dist_graph", made);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part);
  ADD(MPI_T_BIND_MPI_COMM, "split", part);
  if (!with_inter) return;
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &made);
  ADD(MPI_T_BIND_MPI_COMM, rank == 0 ? "inter with more remote ranks" : "inter with fewer remote ranks", made);
  MPI_Comm_dup(made, &part);
  ADD(MPI_T_BIND_MPI_COMM, rank == 0 ? "dup of inter with more remote ranks" : "dup of inter with fewer remote ranks",
      part);
  MPI_Intercomm_merge(made, 0, &part);
  ADD(MPI_T_BIND_MPI_COMM, "merged", part);
}

static void add_windows(void) {
  static int memory[16];
  void *allocated;
  MPI_Win made;
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  ADD(MPI_T_BIND_MPI_WIN, "created window", made);
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &made);
  ADD(MPI_T_BIND_MPI_WIN, "allocated window", made);
  MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &made);
  ADD(MPI_T_BIND_MPI_WIN, "shared window", made);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  ADD(MPI_T_BIND_MPI_WIN, "dynamic window", made);
  if (MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &made) == MPI_SUCCESS)
    ADD(MPI_T_BIND_MPI_WIN, "window of self", made); /* Open MPI 4.1.4 refuses it where only its own memory is shared */
}

static void add_files(void) {
  char name[64];
  MPI_File made;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  snprintf(name, sizeof name, "bindings.%d", rank);
  if (MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &made) == MPI_SUCCESS)
    ADD(MPI_T_BIND_MPI_FILE, "file of self", made);
  if (MPI_File_open(MPI_COMM_WORLD, "bindings.all", mode, MPI_INFO_NULL, &made) == MPI_SUCCESS)
    ADD(MPI_T_BIND_MPI_FILE, "file of world", made);
}

static void work(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)in, (void)inout, (void)count, (void)type;
}

static void failed(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }

static void add_others(void) {
  static int buffer;
  MPI_Datatype basic = MPI_INT, derived;
  MPI_Op sum = MPI_SUM, own;
  MPI_Errhandler returns = MPI_ERRORS_RETURN, handler;
  MPI_Info info;
  MPI_Request persistent, active;
  MPI_Group group, empty = MPI_GROUP_EMPTY;
  MPI_Message message;
  MPI_Type_contiguous(3, MPI_INT, &derived);
  MPI_Op_create(work, 1, &own);
  MPI_Comm_create_errhandler(failed, &handler);
  MPI_Info_create(&info);
  MPI_Send_init(&buffer, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &persistent);
  MPI_Irecv(&buffer, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &active);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Request sent;
  MPI_Isend(&rank, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(rank, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  ADD(MPI_T_BIND_MPI_DATATYPE, "basic datatype", basic);
  ADD(MPI_T_BIND_MPI_DATATYPE, "derived datatype", derived);
  ADD(MPI_T_BIND_MPI_OP, "basic operation", sum);
  ADD(MPI_T_BIND_MPI_OP, "own operation", own);
  ADD(MPI_T_BIND_MPI_ERRHANDLER, "basic error handler", returns);
  ADD(MPI_T_BIND_MPI_ERRHANDLER, "own error handler", handler);
  ADD(MPI_T_BIND_MPI_INFO, "info", info);
  ADD(MPI_T_BIND_MPI_REQUEST, "persistent request", persistent);
  ADD(MPI_T_BIND_MPI_REQUEST, "active request", active);
  ADD(MPI_T_BIND_MPI_MESSAGE, "message", message);
  ADD(MPI_T_BIND_MPI_GROUP, "group", group);
  ADD(MPI_T_BIND_MPI_GROUP, "empty group", empty);
}

/* All that MPI_T allows, in the child. */
static void use(int index, void *object) {
  static char value[1 << 20];
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  int count = 0;
  const int before = (int)VALGRIND_COUNT_ERRORS;
  MPI_T_pvar_session_create(&session);
  if (MPI_T_pvar_handle_alloc(session, index, object, &handle, &count) == MPI_SUCCESS) {
    MPI_T_pvar_start(session, handle);
    MPI_T_pvar_read(session, handle, value);
    MPI_T_pvar_stop(session, handle);
    MPI_T_pvar_reset(session, handle);
    MPI_T_pvar_start(session, handle);
    MPI_T_pvar_read(session, handle, value);
    MPI_T_pvar_handle_free(session, &handle);
  }
  MPI_T_pvar_session_free(&session);
  _exit((int)VALGRIND_COUNT_ERRORS != before);
}

static void try_one(const char *variable, int index, const char *name, void *object) {
  int status = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
    alarm(60);
    use(index, object);
  }
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("%s, %s: SIG%s\n", variable, name, WTERMSIG(status) == SIGSEGV ? "SEGV" : "other");
  else if (WEXITSTATUS(status)) printf("%s, %s: reads what is not its\n", variable, name);
  fflush(stdout);
}

static int is_wanted(const char *variable, int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (strncmp(variable, argv[i], strlen(argv[i])) == 0) return 1;
  return argc < 2;
}

static void try_all(int argc, char **argv) {
  int count = 0;
  MPI_T_pvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    char name[256] = "";
    int length = sizeof name, verbosity, class, binding, readonly, continuous, atomic, none = 0;
    MPI_Datatype type;
    MPI_T_enum items;
    if (MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &items, NULL, &none, &binding, &readonly,
                            &continuous, &atomic) != MPI_SUCCESS ||
        !is_wanted(name, argc, argv))
      continue;
    if (binding == MPI_T_BIND_NO_OBJECT) try_one(name, i, "no object", NULL);
    for (int k = 0; k < object_count; ++k)
      if (objects[k].binding == binding) try_one(name, i, objects[k].name, objects[k].handle);
  }
}

int main(int argc, char *argv[]) {
  int provided = 0;
  MPI_Init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "-intra") == 0) with_inter = 0, --argc, ++argv;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  add_communicators();
  add_windows();
  add_files();
  add_others();
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  try_all(argc, argv);
  fflush(stdout);
  _exit(0); /* what was made is left as it is */
}
