// SPDX-License-Identifier: BSD-3-Clause
// sessions.cc - sessions and process sets, groups and communicators made of them

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {

#if MPI_VERSION >= 4
namespace {

constexpr const char* world_set = "mpi://WORLD";

void handle(MPI_Session*, int* code, ...) {
  int error_class = 0;
  CALL(MPI_Error_class, *code, &error_class);
  note("handles class " + std::to_string(error_class));
}

void ask(MPI_Session session) {
  char name[64] = "";
  int number = 0;
  int length = sizeof name;
  MPI_Info info = MPI_INFO_NULL;
  CALL(MPI_Session_get_num_psets, session, MPI_INFO_NULL, &number);
  CALL(MPI_Session_get_nth_pset, session, MPI_INFO_NULL, 0, &length, name);
  CALL(MPI_Session_get_info, session, &info);
  CALL(MPI_Info_free, &info);
  CALL(MPI_Session_get_pset_info, session, world_set, &info);
  CALL(MPI_Info_free, &info);
}

void handle_errors(MPI_Session session) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  CALL(MPI_Session_create_errhandler, handle, &handler);
  CALL(MPI_Session_get_errhandler, session, &before);
  CALL(MPI_Session_set_errhandler, session, handler);
  CALL(MPI_Session_call_errhandler, session, MPI_ERR_ARG);
  CALL(MPI_Session_set_errhandler, session, before);
  CALL(MPI_Errhandler_free, &handler);
}

void make_communicators(MPI_Session session) {
  const int me = launch_rank();
  const int peer = 1 - me;
  int size = 0;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group mine = MPI_GROUP_NULL;
  MPI_Group other = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  CALL(MPI_Group_from_session_pset, session, world_set, &all);
  CALL(MPI_Comm_create_from_group, all, "conformance", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  CALL(MPI_Comm_size, comm, &size);
  CALL(MPI_Barrier, comm);
  CALL(MPI_Comm_free, &comm);
  CALL(MPI_Group_incl, all, 1, &me, &mine);
  CALL(MPI_Group_incl, all, 1, &peer, &other);
  CALL(MPI_Intercomm_create_from_groups, mine, 0, other, 0, "conformance sides", MPI_INFO_NULL, MPI_ERRORS_RETURN,
       &comm);
  CALL(MPI_Comm_remote_size, comm, &size);
  CALL(MPI_Comm_free, &comm);
  for (MPI_Group* group : {&all, &mine, &other}) CALL(MPI_Group_free, group);
}

}  // namespace

void sessions() {
  MPI_Session session = MPI_SESSION_NULL;
  CALL(MPI_Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  ask(session);
  handle_errors(session);
  make_communicators(session);
  CALL(MPI_Session_finalize, &session);
}
#else
void sessions() {}
#endif

}  // namespace conformance
