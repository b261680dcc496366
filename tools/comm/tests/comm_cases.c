// SPDX-License-Identifier: BSD-3-Clause
// comm_cases.c - programs for the tool `comm` with few, known messages. Usage: comm_cases CASE [WORD].
//
// Every rank sends messages of 4 bytes to the next; what a case does besides stands at its function.

#include <mpi.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/region.h"

static int rank, size;

static void send(int times) {
  int value = 0;
  for (int i = 0; i < times; ++i)
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

static void check(int code, const char *what) {
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "%s: code %d\n", what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void set(const char *name, const void *value) {
  int index, count;
  MPI_T_cvar_handle handle;
  check(MPI_T_cvar_get_index(name, &index), name);
  check(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), name);
  check(MPI_T_cvar_write(handle, value), name);
  MPI_T_cvar_handle_free(&handle);
}

// Phases by level, by region, region in region, and by the variable; the second time one has been there before.
static void phases(const char *word) {
  (void)word;
  send(1);
  MPI_Pcontrol(3);
  send(2);
  cairn_region_begin("solve");
  send(3);
  MPI_Pcontrol(1);
  cairn_region_begin("halo");
  send(4);
  cairn_region_end("halo");
  cairn_region_end("solve");
  set("comm_phase", "last");
  send(5);
  MPI_Barrier(MPI_COMM_WORLD);
  set("comm_phase", "");
  send(6);
}

// What came is flushed to WORD_1 and WORD_2, in between once to nowhere, and the rest stays.
static void flushes(const char *word) {
  char file[300];
  send(3);
  snprintf(file, sizeof file, "%s_1", word);
  set("comm_flush", file);
  send(4);
  set("comm_flush", "");
  send(5);
  snprintf(file, sizeof file, "%s_2", word);
  set("comm_flush", file);
  send(6);
}

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2) resident *= sysconf(_SC_PAGESIZE) / 1024;
  if (file != NULL) fclose(file);
  return resident;
}

// Thousands of communicators, one at a time, some of them with a name, and two at once. Rank 0 says by how many KiB the
// second half of the thousands has made it grow.
static void communicators(const char *word) {
  int one = 1, sum = 0;
  long half = 0;
  MPI_Comm made, other;
  for (int i = 0; i < atoi(word); ++i) {
    if (i == atoi(word) / 2) half = resident_kib();
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    if (i % 2) MPI_Comm_set_name(made, "loop");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
    MPI_Comm_free(&made);
  }
  if (rank == 0) printf("%ld\n", resident_kib() - half);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);
  MPI_Comm_dup(made, &other);
  MPI_Bcast(&one, 1, MPI_INT, 0, made);
  MPI_Bcast(&one, 1, MPI_INT, 0, other);
  MPI_Comm_free(&made);
  MPI_Comm_free(&other);
}

// One communicator with thousands of names, one after the other, and a call under each; then one call of every pattern
// under names that come too late. Rank 0 says by how many KiB the second half of the names has made it grow.
static void names(const char *word) {
  int one[2] = {1, 1}, sum[2];
  long half = 0;
  char name[32];
  MPI_Comm made, side, between;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  for (int i = 0; i < atoi(word); ++i) {
    if (i % 1000 == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (i == atoi(word) / 2) half = resident_kib();
    snprintf(name, sizeof name, "name %d", i);
    MPI_Comm_set_name(made, name);
    MPI_Bcast(one, 1, MPI_INT, 0, made);
  }
  if (rank == 0) printf("%ld\n", resident_kib() - half);
  MPI_Scan(one, sum, 1, MPI_INT, MPI_SUM, made);
  MPI_Bcast(one, 2, MPI_INT, 1, made);
  MPI_Barrier(made);
  MPI_Comm_split(made, rank == 0, rank, &side);
  MPI_Intercomm_create(side, 0, made, rank == 0 ? 1 : 0, 0, &between);
  MPI_Reduce_scatter_block(one, sum, rank == 0 ? 2 : 1, MPI_INT, MPI_SUM, between);
  MPI_Comm_free(&between);
  MPI_Comm_free(&side);
  MPI_Comm_free(&made);
}

// 40 bytes are written twice and 12 read once by each rank, in four ways.
static void files(const char *word) {
  int numbers[10] = {0};
  MPI_File file;
  MPI_Request request;
  MPI_File_open(MPI_COMM_WORLD, word, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, 40 * rank, numbers, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, 40 * rank, numbers, 10, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_read_at_all_begin(file, 40 * rank, numbers, 3, MPI_INT);
  MPI_File_read_at_all_end(file, numbers, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

// Persistent collective calls, each started twice.
static void persistent(const char *word) {
  (void)word;
#if MPI_VERSION >= 4
  int in[16], out[16] = {0};
  MPI_Request requests[3];
  MPI_Bcast_init(out, 10, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Alltoall_init(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Gather_init(out, 3, MPI_INT, in, 3, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 3; ++i) {
      MPI_Start(&requests[i]);
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
#endif
}

// Ends without MPI_Finalize, after a snapshot by the variable; what comes later is not in it.
static void snapshot(const char *word) {
  int any = 1;
  (void)word;
  send(7);
  MPI_Barrier(MPI_COMM_WORLD);
  set("comm_snapshot", &any);
  send(1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

// Two snapshots by the variable, between messages.
static void moments(const char *word) {
  int any = 1;
  (void)word;
  send(7);
  set("comm_snapshot", &any);
  MPI_Barrier(MPI_COMM_WORLD);
  send(2);
  if (rank == 1) set("comm_snapshot", &any);
  send(1);
}

static void wait_for_snapshots(const char *folder) {
  for (int other = 0; other < size; ++other) {
    char file[500];
    snprintf(file, sizeof file, "%s/comm/rank.%d.json", folder, other);
    while (access(file, R_OK) != 0) usleep(1000);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Goes on once there is a snapshot of each rank.
static void every(const char *word) {
  send(7);
  wait_for_snapshots(word);
  send(3);
}

// Ends so after a signal to itself, once the snapshots of all ranks are in the folder WORD.
static void by_signal(const char *word) {
  send(7);
  raise(SIGUSR1);
  wait_for_snapshots(word);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

// A handler for the signal, from before MPI_Init; then none, from after it.
static volatile sig_atomic_t handled;
static void count_signal(int signal) {
  (void)signal;
  ++handled;
}
static void own_handler(const char *word) {
  raise(SIGUSR1);
  wait_for_snapshots(word);
  if (rank == 0) printf("handled %d\n", (int)handled);
}
static void other_handler(const char *word) {
  (void)word;
  signal(SIGUSR1, SIG_IGN);
}

// 10 broadcasts of a million bytes by rank 1, or 1,000 reductions of 2,000 bytes.
static void broadcasts(const char *word) {
  static char data[1000000];
  (void)word;
  for (int i = 0; i < 10; ++i) MPI_Bcast(data, sizeof data, MPI_CHAR, 1, MPI_COMM_WORLD);
}
static void reductions(const char *word) {
  static double data[250], sums[250];
  (void)word;
  for (int i = 0; i < 1000; ++i) MPI_Allreduce(data, sums, 250, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// Calls whose parts go directly, and one that libraries carry out by a tree.
static void parts(const char *word) {
  int data[16] = {0}, to[16] = {0}, counts[16], places[16];
  (void)word;
  for (int i = 0; i < size; ++i) counts[i] = i == rank ? 0 : 1, places[i] = i;
  MPI_Alltoallv(data, counts, places, MPI_INT, to, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) counts[i] = i;
  MPI_Gatherv(data, rank, MPI_INT, to, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Gather(data, 2, MPI_INT, to, 2, MPI_INT, 0, MPI_COMM_WORLD);
}

static void *send_on_thread(void *tag) {
  char message[16] = "";
  for (int i = 0; i < 100; ++i)
    MPI_Sendrecv_replace(message, *(int *)tag, MPI_CHAR, (rank + 1) % size, *(int *)tag, (rank + size - 1) % size,
                         *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

// Four threads at once, the first with messages of 1 byte, the last of 4 bytes.
static void threads(const char *word) {
  pthread_t made[4];
  int tags[4] = {1, 2, 3, 4}, level;
  (void)word;
  MPI_Query_thread(&level);
  check(level == MPI_THREAD_MULTIPLE ? MPI_SUCCESS : level, "MPI_THREAD_MULTIPLE");
  for (int i = 0; i < 4; ++i) pthread_create(&made[i], NULL, send_on_thread, &tags[i]);
  for (int i = 0; i < 4; ++i) pthread_join(made[i], NULL);
}

static void show(MPI_T_pvar_session session, const char *name, int class, int at) {
  int index, count;
  unsigned long values[1000];
  MPI_Comm back;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);  // elements are in the order of its ranks
  MPI_T_pvar_handle handle;
  check(MPI_T_pvar_get_index(name, class, &index), name);
  check(MPI_T_pvar_handle_alloc(session, index, &back, &handle, &count), name);
  check(MPI_T_pvar_start(session, handle), name);
  send(3);
  MPI_Barrier(back);
  check(MPI_T_pvar_read(session, handle, values), name);
  if (rank == 1) printf("%s %d %lu\n", name, count, values[at]);
  MPI_T_pvar_handle_free(session, &handle);
  MPI_Comm_free(&back);
}

// What rank 1 of 3 has sent to rank 2, which is the first backwards: three messages; one barrier.
static void variables(const char *word) {
  (void)word;
  MPI_T_pvar_session session;
  MPI_T_pvar_session_create(&session);
  show(session, "comm_p2p_messages", MPI_T_PVAR_CLASS_COUNTER, 0);
  show(session, "comm_p2p_bytes", MPI_T_PVAR_CLASS_AGGREGATE, 0);
  show(session, "comm_coll_messages", MPI_T_PVAR_CLASS_COUNTER, 0);
  show(session, "comm_p2p_sizes", MPI_T_PVAR_CLASS_COUNTER, 3);
  show(session, "comm_p2p_sizes_to", MPI_T_PVAR_CLASS_COUNTER, 3);
  show(session, "comm_all_to_all_calls", MPI_T_PVAR_CLASS_COUNTER, 0);
  show(session, "coll_monitoring_a2a_count", MPI_T_PVAR_CLASS_COUNTER, 0);
  MPI_T_pvar_session_free(&session);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(const char *);
  } cases[] = {{"phases", phases},
               {"flushes", flushes},
               {"communicators", communicators},
               {"names", names},
               {"files", files},
               {"snapshot", snapshot},
               {"by_signal", by_signal},
               {"own_handler", own_handler},
               {"other_handler", other_handler},
               {"persistent", persistent},
               {"variables", variables},
               {"moments", moments},
               {"every", every},
               {"threads", threads},
               {"broadcasts", broadcasts},
               {"reductions", reductions},
               {"parts", parts}};
  int provided;
  if (argc > 1 && strcmp(argv[1], "own_handler") == 0) signal(SIGUSR1, count_signal);
  if (argc > 1 && strcmp(argv[1], "threads") == 0) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) cases[i].run(argc > 2 ? argv[2] : "");
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
