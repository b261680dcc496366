// SPDX-License-Identifier: BSD-3-Clause
// threads.c - several threads at once look at MPI_COMM_WORLD and make communicators, callbacks and topologies
//
//   threads RANK...    the rank that each process should have, in the order in which they were started
//
// Each process prints "NEW of OLD: ok", or what is wrong.

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_threads = 2, turns = 10 };
static int wanted, count, errors;
static MPI_Comm comms[most_threads];

static void check(int good, const char* what) {
  if (!good) printf("rank %d: %s\n", wanted, what);
  if (!good) __atomic_add_fetch(&errors, 1, __ATOMIC_RELAXED);
}

static int copy(MPI_Comm comm, int keyval, void* state, void* in, void* out, int* flag) {
  check(comm == MPI_COMM_WORLD || in != &wanted, "a copy function gets another communicator");
  *(void**)out = in;
  *flag = 1;
  return (void)keyval, (void)state, MPI_SUCCESS;
}

static void check_attribute(MPI_Comm comm) {
  int keyval, flag = 0, rank = -1;
  void* value = NULL;
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &wanted);
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag);
  check(flag && value == &wanted, "an attribute is not found");
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  MPI_Comm_free_keyval(&keyval);
  MPI_Comm_rank(comm, &rank);
  check(rank == wanted, "the rank in a duplicate");
}

// Ranks 0 and 3, and 1 and 2, belong together; processes are on two nodes in turn.
static void check_topology(MPI_Comm comm) {
  MPI_Comm made;
  int partner = 3 - wanted, weight = 9, rank = -1, got = -1;
  MPI_Dist_graph_create_adjacent(comm, 1, &partner, &weight, 1, &partner, &weight, MPI_INFO_NULL, 1, &made);
  MPI_Comm_rank(made, &rank);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, made);
  check(got == 3 - rank, "a neighbor in a topology");
  MPI_Comm_free(&made);
}

static void* work(void* own) {
  const int thread = (int)((MPI_Comm*)own - comms);
  MPI_Status status;
  for (int turn = 0; turn < turns; ++turn) {
    int right = (wanted + 1) % count, left = (wanted + count - 1) % count, got = -1, least = -1;
    MPI_Sendrecv(&wanted, 1, MPI_INT, right, thread, &got, 1, MPI_INT, MPI_ANY_SOURCE, thread, MPI_COMM_WORLD, &status);
    check(got == left && status.MPI_SOURCE == left, "a message from the left");
    MPI_Exscan(&wanted, &least, 1, MPI_INT, MPI_MAX, comms[thread]);
    check(wanted == 0 || least == wanted - 1, "the order in a duplicate");
    check_attribute(comms[thread]);
    if (count == 4) check_topology(comms[thread]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  const int process = rank ? atoi(rank) : 0;
  pthread_t threads[most_threads];
  int provided;
  count = argc - 1;
  wanted = atoi(argv[1 + process]);
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  check(provided == MPI_THREAD_MULTIPLE, "no threads");
  for (int i = 0; i < most_threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  if (count == 4)
    check_topology(MPI_COMM_WORLD);  // the first one is not for threads: Open MPI 4.1.4 crashes, bare as well
  for (int i = 0; i < most_threads; ++i) pthread_create(&threads[i], NULL, work, &comms[i]);
  for (int i = 0; i < most_threads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < most_threads; ++i) MPI_Comm_free(&comms[i]);
  MPI_Finalize();
  if (errors == 0) printf("%d of %d: ok\n", wanted, process);
  return errors != 0;
}
