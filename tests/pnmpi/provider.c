// SPDX-License-Identifier: BSD-3-Clause
// provider.c - a module that offers others a service, "sum", and a global, "ranks": how often MPI_Comm_rank was called.

#include <pnmpi/hooks.h>
#include <pnmpi/service.h>
#include <pnmpi/xmpi.h>
#include <string.h>

const char *PNMPI_ModuleName = "provider";

static int ranks;

static int sum(int one, int other) { return one + other; }

void PNMPI_RegistrationPoint(void) {
  PNMPI_Service_descriptor_t service = {.name = "sum", .sig = "ii", .fct = (PNMPI_Service_Fct_t)sum};
  PNMPI_Global_descriptor_t global = {.name = "ranks", .sig = 'i', .addr = {.i = &ranks}};
  PNMPI_Service_RegisterService(&service);
  PNMPI_Service_RegisterGlobal(&global);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  ++ranks;
  return XMPI_Comm_rank(comm, rank);
}
