// SPDX-License-Identifier: BSD-3-Clause
// functions.cc - libcairn-pnmpi.so: the functions of PnMPI for one module (contracts/pnmpi_host.h).

#include "contracts/pnmpi_host.h"

#include <cstdint>

#pragma GCC visibility push(default)

extern "C" {

const cairn_pnmpi_host* cairn_pnmpi_services = nullptr;
PNMPI_modHandle_t cairn_pnmpi_self = -1;

}  // extern "C"

namespace {

const cairn_pnmpi_host& host() { return *cairn_pnmpi_services; }

PNMPI_modHandle_t self(const void* caller) {
  return cairn_pnmpi_self >= 0 ? cairn_pnmpi_self : host().module_at(caller);
}

}  // namespace

#define CAIRN_SELF self(__builtin_return_address(0))

extern "C" {

PNMPI_status_t PNMPI_Service_RegisterModule(const char* name) { return host().name_module(CAIRN_SELF, name); }

PNMPI_status_t PNMPI_Service_GetModuleByName(const char* name, PNMPI_modHandle_t* handle) {
  return host().find_module(name, handle);
}

PNMPI_status_t PNMPI_Service_GetModuleSelf(PNMPI_modHandle_t* handle) {
  *handle = CAIRN_SELF;
  return *handle < 0 ? PNMPI_NOMODULE : PNMPI_SUCCESS;
}

PNMPI_status_t PNMPI_Service_GetStackByName(const char* name, PNMPI_modHandle_t* handle) {
  return host().find_stack(name, handle);
}

PNMPI_status_t PNMPI_Service_ChangeStack(PNMPI_modHandle_t stack) { return host().change_stack(stack); }

PNMPI_status_t PNMPI_Service_RegisterGlobal(const PNMPI_Global_descriptor_t* global) {
  return host().add_global(CAIRN_SELF, global);
}

PNMPI_status_t PNMPI_Service_GetGlobalByName(PNMPI_modHandle_t handle, const char* name, const char sig,
                                             PNMPI_Global_descriptor_t* dest) {
  return host().find_global(handle, name, sig, dest);
}

PNMPI_status_t PNMPI_Service_RegisterService(const PNMPI_Service_descriptor_t* service) {
  return host().add_service(CAIRN_SELF, service);
}

PNMPI_status_t PNMPI_Service_GetServiceByName(PNMPI_modHandle_t handle, const char* name, const char* sig,
                                              PNMPI_Service_descriptor_t* dest) {
  return host().find_service(handle, name, sig, dest);
}

PNMPI_status_t PNMPI_Service_GetArgument(PNMPI_modHandle_t handle, const char* name, const char** dest) {
  return host().find_argument(handle, name, dest);
}

const char* PNMPI_Service_GetArgumentSelf(const char* name) {
  const char* value = nullptr;
  host().find_argument(CAIRN_SELF, name, &value);
  return value;
}

PNMPI_status_t PNMPI_Service_GetPcontrol(const PNMPI_modHandle_t handle, int* flag) {
  return host().gets_pcontrol(handle, flag);
}

int PNMPI_Service_GetPcontrolSelf(void) {
  int flag = 0;
  host().gets_pcontrol(CAIRN_SELF, &flag);
  return flag;
}

PNMPI_status_t PNMPI_Service_GetReturnAddress(void** ptr) {
  *ptr = host().return_address();
  return PNMPI_SUCCESS;
}

PNMPI_status_t PNMPI_Service_GetFunctionAddress(void** ptr) {
  *ptr = host().function_address();
  return PNMPI_SUCCESS;
}

void PNMPI_Service_CallHook(const char* hook) { host().call_hook(hook, CAIRN_SELF + 1); }

void PNMPI_Service_CallHook_NewStack(const char* hook, PNMPI_modHandle_t stack) { host().call_hook(hook, stack); }

const char* PNMPI_Service_strerror(PNMPI_status_t err) {
  switch (err) {
    case PNMPI_SUCCESS:
      return "Success";
    case PNMPI_FAILURE:
      return "Failure";
    case PNMPI_NOMEM:
      return "Out of memory";
    case PNMPI_NOMODULE:
      return "Module not found";
    case PNMPI_NOSERVICE:
      return "Service not found";
    case PNMPI_NOGLOBAL:
      return "Global not found";
    case PNMPI_SIGNATURE:
      return "Signatures don't match";
    case PNMPI_NOARG:
      return "Argument not found";
    case PNMPI_NOSTACK:
      return "Stack not found";
    case PNMPI_NOT_IMPLEMENTED:
      return "Service not implemented";
  }
  return "Unknown error";
}

/// Asked by new_stack.S; `caller`: where the call returns to.
__attribute__((visibility("hidden"))) void* cairn_new_stack_target(PNMPI_modHandle_t stack, std::uint32_t function,
                                                                   const void* caller) {
  return host().target(self(caller), stack, function);
}

}  // extern "C"
