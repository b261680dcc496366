/* SPDX-License-Identifier: BSD-3-Clause */
/* constrained.c - takes something away from itself after MPI_Init: constrained memory|user|thread [RANK], the last its first
 * thread. Exits with 5.
 * constrained while: calls MPI while not even small blocks can be allocated, and gives the memory back. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LEAST = 65536, NOBODY = 65534, MANY = 30 };

/* No larger block can be allocated afterwards. */
static void use_up_memory(void) {
  const struct rlimit least = {1 << 20, 1 << 20};
  if (setrlimit(RLIMIT_AS, &least) != 0) exit(9);
  for (size_t size = 1 << 20; size >= LEAST; size /= 2)
    for (volatile char *block = malloc(size); block != NULL; block = malloc(size)) *block = 0;
}

struct block {
  struct block *next;
};

static void call_without_memory(void) {
  struct rlimit before;
  struct block *blocks = NULL;
  struct block *block = NULL;
  int number = 0;
  MPI_Request requests[MANY];
  MPI_Status statuses[MANY];
  for (int i = 0; i < MANY; ++i) requests[i] = MPI_REQUEST_NULL;
  if (getrlimit(RLIMIT_AS, &before) != 0) exit(9);
  const struct rlimit least = {1 << 20, before.rlim_max};
  if (setrlimit(RLIMIT_AS, &least) != 0) exit(9);
  for (size_t size = 1 << 20; size >= sizeof *block; size /= 2)
    for (block = malloc(size); block != NULL; block = malloc(size)) {
      block->next = blocks;
      blocks = block;
    }
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  MPI_Initialized(&number);
  MPI_Waitall(MANY, requests, statuses);
  for (; blocks != NULL; blocks = block) {
    block = blocks->next;
    free(blocks);
  }
  setrlimit(RLIMIT_AS, &before);
}

static int finish(void) {
  MPI_Finalize();
  return 5;
}

static void *go_on(void *nothing) {
  char state = 0;
  while (state != 'Z') { /* the first thread has ended */
    FILE *file = fopen("/proc/self/stat", "r");
    if (file == NULL || fscanf(file, "%*d (%*[^)]) %c", &state) != 1) exit(9);
    fclose(file);
  }
  exit(finish());
  return nothing;
}

static void lose_first_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, go_on, NULL) != 0) exit(9);
  pthread_exit(NULL);
}

int main(int argc, char **argv) {
  int rank = 0;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 2 && rank != atoi(argv[2])) /* nothing */
    ;
  else if (strcmp(argv[1], "memory") == 0) use_up_memory();
  else if (strcmp(argv[1], "while") == 0) call_without_memory();
  else if (strcmp(argv[1], "thread") == 0) lose_first_thread();
  else if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0) return 9;
  return finish();
}
