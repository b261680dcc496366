// SPDX-License-Identifier: BSD-3-Clause
// consumer.c - a module that looks up what the provider offers and uses it, and says what it does not find.

#include <pnmpi/debug_io.h>
#include <pnmpi/hooks.h>
#include <pnmpi/service.h>
#include <pnmpi/xmpi.h>

static PNMPI_Service_descriptor_t sum;
static PNMPI_Global_descriptor_t ranks;

static void say(const char *what, PNMPI_status_t status) {
  PNMPI_Warning("%s: %s\n", what, PNMPI_Service_strerror(status));
}

void PNMPI_RegistrationPoint(void) { PNMPI_Service_RegisterModule("consumer"); }

void PNMPI_Init(void) {
  PNMPI_modHandle_t self, provider;
  PNMPI_Service_GetModuleSelf(&self);
  say("nobody", PNMPI_Service_GetModuleByName("nobody", &provider));
  say("stack", PNMPI_Service_GetStackByName("nowhere", &provider));
  say("provider", PNMPI_Service_GetModuleByName("provider", &provider));
  PNMPI_Warning("I am %d, the provider %d\n", self, provider);
  say("no service", PNMPI_Service_GetServiceByName(provider, "product", "ii", &sum));
  say("no signature", PNMPI_Service_GetServiceByName(provider, "sum", "dd", &sum));
  say("no global", PNMPI_Service_GetGlobalByName(provider, "sizes", 'i', &ranks));
  say("no type", PNMPI_Service_GetGlobalByName(provider, "ranks", 'd', &ranks));
  say("no module", PNMPI_Service_GetServiceByName(99, "sum", "ii", &sum));
  say("service", PNMPI_Service_GetServiceByName(provider, "sum", "ii", &sum));
  say("global", PNMPI_Service_GetGlobalByName(provider, "ranks", 'i', &ranks));
}

void PNMPI_Fini(void) { PNMPI_Warning("%d calls\n", *ranks.addr.i); }

void PNMPI_UnregistrationPoint(void) { PNMPI_Warning("the end\n"); }

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  const int before = *ranks.addr.i;
  const int error = XMPI_Comm_rank(comm, rank);
  PNMPI_Warning("from %d to %d\n", before, ((int (*)(int, int))sum.fct)(before, 1));
  return error;
}
