// SPDX-License-Identifier: BSD-3-Clause
// sessions.c - three calls of MPI_Comm_rank in a program without MPI_Init: a session and a communicator made of it.

#include <mpi.h>

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int rank;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "cairn", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  for (int i = 0; i < 3; ++i) MPI_Comm_rank(comm, &rank);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return 0;
}
