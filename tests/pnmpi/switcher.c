// SPDX-License-Identifier: BSD-3-Clause
// switcher.c - a module that sends calls to the stacks "a" and "b", of which b may have no modules.

#include <pnmpi/debug_io.h>
#include <pnmpi/hooks.h>
#include <pnmpi/newstack.h>
#include <pnmpi/service.h>
#include <pnmpi/xmpi.h>

static PNMPI_modHandle_t a, b;

void PNMPI_Init(void) {
  const PNMPI_status_t of_a = PNMPI_Service_GetStackByName("a", &a);
  const PNMPI_status_t of_b = PNMPI_Service_GetStackByName("b", &b);
  PNMPI_Warning("a %d (%s), b %d (%s)\n", a, PNMPI_Service_strerror(of_a), b, PNMPI_Service_strerror(of_b));
}

int MPI_Init(int *argc, char ***argv) {
  const int error = XMPI_Init(argc, argv);
  return error != MPI_SUCCESS ? error : XMPI_Init_NewStack(a, argc, argv);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  PNMPI_Warning("here\n");
  XMPI_Comm_rank(comm, rank);
  PNMPI_Warning("in a\n");
  XMPI_Comm_rank_NewStack(a, comm, rank);
  PNMPI_Warning("in b\n");
  PMPI_Comm_rank_NewStack(b, comm, rank);
  PNMPI_Warning("below\n");
  return XMPI_Comm_rank_NewStack(-1, comm, rank);
}

/* With 12 arguments, some are not in registers. */
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  return XMPI_Sendrecv_NewStack(a, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                recvtag, comm, status);
}

double MPI_Wtime(void) { return XMPI_Wtime_NewStack(a); }

/* From the next call on the program's calls go to stack a, and back. */
int MPI_Comm_size(MPI_Comm comm, int *size) {
  PNMPI_Warning("size\n");
  PNMPI_Service_ChangeStack(a);
  return XMPI_Comm_size(comm, size);
}

int MPI_Barrier(MPI_Comm comm) {
  PNMPI_Warning("barrier\n");
  return XMPI_Barrier(comm);
}
