// SPDX-License-Identifier: BSD-3-Clause
// monitoring_counts.c - the program reads its own row while it runs: what came while a handle was started.
//
// Usage: monitoring_counts NAME, a variable with an element per rank. Prints "WHEN RANK: VALUES".

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static MPI_T_pvar_session session;
static int rank, size;

static void check(int code, const char *what) {
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "%s: code %d\n", what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void send_around(int times) {
  int value = 0;
  for (int i = 0; i < times; ++i)
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

static MPI_T_pvar_handle allocate(const char *name, int *count) {
  int index;
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_T_pvar_handle handle;
  check(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_SIZE, &index), name);
  check(MPI_T_pvar_handle_alloc(session, index, &world, &handle, count), "handle");
  return handle;
}

// Rank 0 prints for all, so that lines stay whole.
static void show(const char *when, MPI_T_pvar_handle handle, int count) {
  enum { LONGEST = 200, MOST = 16 };
  unsigned long values[MOST];
  char line[LONGEST], lines[MOST * LONGEST];
  if (count > MOST || size > MOST) MPI_Abort(MPI_COMM_WORLD, 2);
  check(MPI_T_pvar_read(session, handle, values), "read");
  int length = snprintf(line, sizeof line, "%s %d:", when, rank);
  for (int i = 0; i < count; ++i) length += snprintf(line + length, sizeof line - (size_t)length, " %lu", values[i]);
  MPI_Gather(line, LONGEST, MPI_CHAR, lines, LONGEST, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; i < size && rank == 0; ++i) printf("%s\n", lines + (size_t)i * LONGEST);
}

int main(int argc, char **argv) {
  int provided, count;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
  check(MPI_T_pvar_session_create(&session), "session");
  send_around(3);
  MPI_T_pvar_handle handle = allocate(argv[1], &count);
  send_around(4);  // not started yet
  check(MPI_T_pvar_start(session, handle), "start");
  send_around(27);
  show("counting", handle, count);
  check(MPI_T_pvar_stop(session, handle), "stop");
  send_around(5);
  show("stopped", handle, count);
  check(MPI_T_pvar_start(session, handle), "start");
  send_around(1);
  show("again", handle, count);
  if (MPI_T_pvar_reset(session, handle) != MPI_T_ERR_PVAR_NO_WRITE) check(1, "reset of what is only to be read");
  show("read only", handle, count);
  check(MPI_T_pvar_handle_free(session, &handle), "free");
  check(MPI_T_pvar_session_free(&session), "session_free");
  check(MPI_T_finalize(), "MPI_T_finalize");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
