// SPDX-License-Identifier: BSD-3-Clause
// ranks.c - looks at MPI_COMM_WORLD in every way there is, and says where its ranks are not those expected
//
//   ranks RANK...    the rank that each process should have, in the order in which they were started
//
// Each process prints "NEW of OLD: ok", or what is wrong.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wanted, count, errors, copies, drops, world_drops;
static const int* order;

static void check(int good, const char* what) {
  if (!good) printf("rank %d: %s\n", wanted, what);
  errors += !good;
}

static int launched(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  return rank ? atoi(rank) : 0;
}

static void check_comm(MPI_Comm comm, const char* what) {
  int rank = -1, size = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  check(rank == wanted && size == count, what);
}

static int copy(MPI_Comm comm, int keyval, void* state, void* in, void* out, int* flag) {
  check(comm == MPI_COMM_WORLD && state == &copies, "a copy function gets another communicator");
  check_comm(comm, "the rank in a copy function");
  *(void**)out = in;
  *flag = 1;
  return ++copies, (void)keyval, MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int keyval, void* value, void* state) {
  check(value == &wanted, "a delete function gets another value");
  check_comm(comm, "the rank in a delete function");
  if (comm == MPI_COMM_WORLD) ++world_drops;
  return ++drops, (void)keyval, (void)state, MPI_SUCCESS;
}

static int handled;
static void handle(MPI_Comm* comm, int* code, ...) {
  int rank = -1;
  MPI_Comm_rank(*comm, &rank);
  check(*comm == MPI_COMM_WORLD && rank == wanted, "an error handler gets another communicator");
  handled += *code != MPI_SUCCESS;
}

static void check_groups(void) {
  MPI_Group group, twice;
  MPI_Comm comm;
  int rank = -1, comparison = -1, all[64], translated[64];
  check_comm(MPI_COMM_WORLD, "the rank");
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_rank(group, &rank);
  check(rank == wanted, "the rank in the group");
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &comparison);
  check(comparison == MPI_IDENT, "MPI_COMM_WORLD is another than itself");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  check_comm(comm, "the rank in a duplicate");
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &comparison);
  check(comparison == MPI_CONGRUENT, "a duplicate is not congruent");
  MPI_Comm_group(comm, &twice);
  for (int i = 0; i < count; ++i) all[i] = i;
  MPI_Group_translate_ranks(twice, count, all, group, translated);
  check(memcmp(all, translated, sizeof(int) * (size_t)count) == 0, "groups differ");
  MPI_Group_free(&twice);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
  check_comm(comm, "the rank where all have the same key");
  MPI_Comm_free(&comm);
}

static void check_messages(void) {
  MPI_Status status;
  int right = (wanted + 1) % count, left = (wanted + count - 1) % count, got = -1, gathered[64];
  MPI_Sendrecv(&wanted, 1, MPI_INT, right, 5, &got, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
  check(got == left && status.MPI_SOURCE == left, "a message from the left");
  MPI_Allgather(&wanted, 1, MPI_INT, gathered, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) check(gathered[i] == i, "the order of what is gathered");
  got = wanted;
  MPI_Bcast(&got, 1, MPI_INT, count - 1, MPI_COMM_WORLD);
  check(got == count - 1, "the root");
}

static void check_attributes(int* keyval) {
  MPI_Comm comm;
  int *bound, flag = 0;
  void* value = NULL;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  check(flag && *bound >= 32767, "no MPI_TAG_UB");
  MPI_Comm_create_keyval(copy, drop, keyval, &copies);
  MPI_Comm_set_attr(MPI_COMM_WORLD, *keyval, &wanted);
  MPI_Comm_get_attr(MPI_COMM_WORLD, *keyval, &value, &flag);
  check(flag && value == &wanted, "an attribute is not found");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  check(copies == 1, "an attribute is not copied");
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &bound, &flag);
  check(flag && *bound >= 32767, "no MPI_TAG_UB in a duplicate");
  MPI_Comm_free(&comm);
  check(drops == 1 && world_drops == 0, "an attribute of a duplicate is not deleted");
}

static void check_errors(void) {
  MPI_Errhandler handler, found;
  MPI_Comm world = MPI_COMM_WORLD;
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
  check(found == handler, "another error handler");
  MPI_Send(&wanted, 1, MPI_INT, count, 0, MPI_COMM_WORLD);
  check(handled == 1, "the error handler is not called");
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  check(handled == 2, "the error handler is not called by MPI_Comm_call_errhandler");
  check(MPI_Comm_free(&world) != MPI_SUCCESS, "MPI_COMM_WORLD can be freed");
  check_comm(MPI_COMM_WORLD, "the rank after that");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  check(strcmp(name, "MPI_COMM_WORLD") == 0, "another name");
}

static void check_made_of_it(void) {
  MPI_Win win;
  MPI_Comm half, both, merged;
  MPI_Group group;
  int rank = -1, size = -1;
  MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_group(win, &group);
  MPI_Group_rank(group, &rank);
  check(rank == wanted, "the rank in a window's group");
  MPI_Group_free(&group);
  MPI_Win_free(&win);
  MPI_Comm_split(MPI_COMM_WORLD, wanted < count / 2, wanted, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, wanted < count / 2 ? count / 2 : 0, 3, &both);
  MPI_Comm_remote_size(both, &size);
  check(size == (wanted < count / 2 ? count - count / 2 : count / 2), "the other side's size");
  MPI_Intercomm_merge(both, wanted >= count / 2, &merged);
  check_comm(merged, "the rank in what both sides make");
  MPI_Comm_rank(half, &rank);
  check(rank == (wanted < count / 2 ? wanted : wanted - count / 2), "the rank in one half");
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void check_session(void) {
#if MPI_VERSION >= 4
  MPI_Session session;
  MPI_Group group;
  int rank = -1;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Group_rank(group, &rank);
  check(rank == wanted, "the rank in a session's group");
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
#endif
}

int main(int argc, char** argv) {
  int ranks[64], keyval = MPI_KEYVAL_INVALID;
  for (int i = 1; i < argc; ++i) ranks[i - 1] = atoi(argv[i]);
  order = ranks;
  count = argc - 1;
  wanted = order[launched()];
  MPI_Init(&argc, &argv);
  check_groups();
  check_messages();
  check_attributes(&keyval);
  check_errors();
  check_made_of_it();
  check_session();
  MPI_Finalize();
  check(world_drops == 1, "an attribute of MPI_COMM_WORLD is not deleted at the end");
  if (errors == 0) printf("%d of %d: ok\n", wanted, launched());
  return errors != 0;
}
