// SPDX-License-Identifier: BSD-3-Clause
// monitoring_phases.c - a token goes round the ring in a phase whose traffic goes to a file of its own, then once more.
//
// Usage: monitoring_phases FILE [TOOL]. In the first phase rank 0 sends 27 messages of an int to the next rank, the
// others 26; they end up in FILE_1.RANK.prof. In the second it is 5 and 4, and FILE_2. The variable is found by its
// name, with TOOL_ before it if a second word is given.

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static void check(int code, const char *what) {
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "%s: code %d\n", what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// Until the token has counted down from `n`; rank 0 sends it once before it comes round, and takes the last step.
static void pass_token(int n) {
  int rank, size, tag = 201;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Request sent = MPI_REQUEST_NULL, received;
  int out = n;
  if (rank == 0) MPI_Isend(&out, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &sent);
  for (int value = 0; value >= 0;) {
    MPI_Irecv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &received);
    MPI_Wait(&received, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    if (rank == 0) --value, ++tag;
    out = value;
    MPI_Isend(&out, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &sent);
    if (rank != 0) --value, ++tag;
  }
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  if (from == 0) MPI_Recv(&n, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  static char no_file[8];
  char name[300], file[300];
  int provided, index, count;
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle flush;
  MPI_Init(&argc, &argv);
  snprintf(name, sizeof name, "%s%spml_monitoring_flush", argc > 2 ? argv[2] : "", argc > 2 ? "_" : "");
  check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
  check(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_GENERIC, &index), name);
  check(MPI_T_pvar_session_create(&session), "session");
  check(MPI_T_pvar_handle_alloc(session, index, &world, &flush, &count), "handle");
  for (int phase = 1; phase <= 2; ++phase) {
    MPI_Barrier(MPI_COMM_WORLD);
    check(MPI_T_pvar_start(session, flush), "start");
    pass_token(phase == 1 ? 25 : 3);
    snprintf(file, sizeof file, "%s_%d", argv[1], phase);
    check(MPI_T_pvar_write(session, flush, file), "write");
    check(MPI_T_pvar_stop(session, flush), "stop");
  }
  check(MPI_T_pvar_write(session, flush, no_file), "write nothing");
  check(MPI_T_pvar_handle_free(session, &flush), "free");
  check(MPI_T_pvar_session_free(&session), "session_free");
  check(MPI_T_finalize(), "MPI_T_finalize");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
