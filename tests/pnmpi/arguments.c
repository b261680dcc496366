// SPDX-License-Identifier: BSD-3-Clause
// arguments.c - a module that asks for its own arguments, for those of the next module, and who gets MPI_Pcontrol; and that calls hooks.

#include <pnmpi/debug_io.h>
#include <pnmpi/hooks.h>
#include <pnmpi/service.h>
#include <stddef.h>

void PNMPI_RegistrationPoint(void) {
  PNMPI_modHandle_t self;
  const char *next = "";
  int flag = -1;
  PNMPI_Service_GetModuleSelf(&self);
  const char *const size = PNMPI_Service_GetArgumentSelf("size");
  const char *const none = PNMPI_Service_GetArgumentSelf("none");
  const PNMPI_status_t of_next = PNMPI_Service_GetArgument(self + 1, "text", &next);
  const PNMPI_status_t of_none = PNMPI_Service_GetArgument(99, "text", &next);
  PNMPI_Service_GetPcontrol(self + 1, &flag);
  PNMPI_Warning("%d: size %s, none %s, next %s (%s), 99: %s, pcontrol %d and %d\n", self, size == NULL ? "-" : size,
                none == NULL ? "-" : none, next, PNMPI_Service_strerror(of_next), PNMPI_Service_strerror(of_none),
                PNMPI_Service_GetPcontrolSelf(), flag);
}

void greet(void);
void greet(void) {
  PNMPI_modHandle_t self;
  PNMPI_Service_GetModuleSelf(&self);
  PNMPI_Debug(PNMPI_DEBUG_MODULE, "%d greets\n", self);
  PNMPI_Service_CallHook(PNMPI_HOOK_SAME);
}

void PNMPI_Init(void) {
  PNMPI_modHandle_t self, other;
  PNMPI_Service_GetModuleSelf(&self);
  if (self != 0) return;
  greet();
  if (PNMPI_Service_GetStackByName("other", &other) == PNMPI_SUCCESS) PNMPI_Service_CallHook_NewStack("greet", other);
}
