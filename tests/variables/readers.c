/* SPDX-License-Identifier: BSD-3-Clause */
/* readers.c - threads that read all of the tool adder's variables that are there, again and again, until all are. */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, WANTED = 200 };

/* The number of the variable's name must be its value, whichever way it is read. */
static int check(int index, MPI_T_pvar_session session) {
  char name[256] = "";
  int length = sizeof name, of = 0, count = 0;
  unsigned long value = 0;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  if (MPI_T_pvar_get_info(index, name, &length, NULL, &of, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) !=
          MPI_SUCCESS ||
      strncmp(name, "adder_n", 7) != 0)
    return 0;
  if (MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) != MPI_SUCCESS ||
      MPI_T_pvar_read(session, handle, &value) != MPI_SUCCESS || value != strtoul(name + 7, NULL, 10))
    printf("%s is %lu\n", name, value);
  MPI_T_pvar_handle_free(session, &handle);
  return 1;
}

static void *read_all(void *unused) {
  MPI_T_pvar_session session;
  MPI_T_pvar_session_create(&session);
  for (int seen = 0; seen < WANTED;) {
    int count = 0, now = 0;
    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count; ++i) now += check(i, session);
    if (now < seen) printf("%d after %d\n", now, seen);
    seen = now;
  }
  MPI_T_pvar_session_free(&session);
  return unused;
}

int main(int argc, char *argv[]) {
  pthread_t threads[THREADS];
  int provided = 0, index = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, read_all, NULL);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  MPI_Barrier(MPI_COMM_SELF);
  printf("last: %d\n", MPI_T_cvar_get_index("adder_n200", &index) == MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}
