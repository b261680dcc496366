// SPDX-License-Identifier: BSD-3-Clause
// sessions.c - a tool for MPI 4, which also wraps functions that an MPI 3 library lacks.

#define TOOL "sessions"
#include "counts.h"

#if MPI_VERSION < 4
typedef struct session *MPI_Session;
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
int MPI_Session_finalize(MPI_Session *session);
int PMPI_Session_finalize(MPI_Session *session);
#endif

FUNCTIONS(COUNTING_WRAPPER)
REPORTING_FINALIZE

static int sessions = 0;

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session) {
  ++sessions;
  return PMPI_Session_init(info, errhandler, session);
}

int MPI_Session_finalize(MPI_Session *session) {
  say("sessions %d", sessions);
  return PMPI_Session_finalize(session);
}
