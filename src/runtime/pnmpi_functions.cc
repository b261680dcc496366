// SPDX-License-Identifier: BSD-3-Clause
// pnmpi_functions.cc - from PnMPI's functions, which know no instance, to the one there is.

#include "runtime/pnmpi_functions.hpp"

#include <cstdlib>

#include "contracts/pnmpi_host.h"
#include "pnmpi/library.hpp"
#include "pnmpi/noting.hpp"

namespace cairn {

namespace {

PnmpiModules& modules() { return runtime().pnmpi; }

PNMPI_modHandle_t module_at(const void* address) { return modules().handle_of(runtime().stack.id_at(address)); }

PNMPI_status_t name_module(PNMPI_modHandle_t self, const char* name) { return modules().name_module(self, name); }

PNMPI_status_t find_module(const char* name, PNMPI_modHandle_t* handle) { return modules().find_module(name, handle); }

PNMPI_status_t find_stack(const char* name, PNMPI_modHandle_t* handle) { return modules().find_stack(name, handle); }

PNMPI_status_t change_stack(PNMPI_modHandle_t stack) {
  if (stack == 0) runtime().stack.lead_program_to_top();
  else runtime().stack.lead_program_to(modules().layer_from(stack));
  return PNMPI_SUCCESS;
}

PNMPI_status_t add_global(PNMPI_modHandle_t self, const PNMPI_Global_descriptor_t* global) {
  return modules().add_global(self, *global);
}

PNMPI_status_t find_global(PNMPI_modHandle_t handle, const char* name, char sig, PNMPI_Global_descriptor_t* found) {
  return modules().find_global(handle, name, sig, found);
}

PNMPI_status_t add_service(PNMPI_modHandle_t self, const PNMPI_Service_descriptor_t* service) {
  return modules().add_service(self, *service);
}

PNMPI_status_t find_service(PNMPI_modHandle_t handle, const char* name, const char* sig,
                            PNMPI_Service_descriptor_t* found) {
  return modules().find_service(handle, name, sig, found);
}

PNMPI_status_t find_argument(PNMPI_modHandle_t handle, const char* name, const char** value) {
  return modules().find_argument(handle, name, value);
}

PNMPI_status_t gets_pcontrol(PNMPI_modHandle_t handle, int* flag) { return modules().gets_pcontrol(handle, flag); }

const ProgramCall& program_call() {
  return *reinterpret_cast<const ProgramCall*>(static_cast<const char*>(__builtin_thread_pointer()) +
                                               runtime().preload.program_call);
}

void* return_address() { return program_call().site; }

void* function_address() {
  const ProgramCall& call = program_call();
  return call.site == nullptr ? nullptr : runtime().preload.stubs[call.function];
}

void call_hook(const char* hook, PNMPI_modHandle_t first) { modules().call_hook(hook, first); }

void* target(PNMPI_modHandle_t self, PNMPI_modHandle_t stack, std::uint32_t function) {
  const auto index = static_cast<FunctionIndex>(function);
  if (stack < 0) return runtime().stack.below(modules().layer_of(self), index);
  return runtime().stack.door(modules().layer_from(stack), index);
}

constexpr cairn_pnmpi_host host = {module_at,     name_module,    find_module,      find_stack,   change_stack,
                                   add_global,    find_global,    add_service,      find_service, find_argument,
                                   gets_pcontrol, return_address, function_address, call_hook,    target};

std::string library(const Runtime& runtime) { return runtime.bundled + "/libcairn-pnmpi.so"; }

bool is_of_pnmpi(std::string_view name) {
  return name.starts_with("PNMPI_") || name.starts_with("pnmpi_") || name.ends_with("_NewStack");
}

bool is_switching(std::string_view name) { return name.ends_with("_NewStack") || name == "PNMPI_Service_ChangeStack"; }

bool asks_for_call(std::string_view name) {
  return name == "PNMPI_Service_GetReturnAddress" || name == "PNMPI_Service_GetFunctionAddress";
}

}  // namespace

void expect_pnmpi_module(Runtime& runtime) {
  if (!runtime.pnmpi.has_modules()) open_pnmpi_names(runtime.preload, library(runtime), host);
  runtime.pnmpi.expect();
}

void link_to_pnmpi(Runtime& runtime, const Layer& layer) {
  const Preload& preload = runtime.preload;
  void* const own = open_pnmpi_copy(preload, library(runtime), host, runtime.pnmpi.handle_of(layer.id()));
  for (LoadedObject object : layer.objects())
    object.redirect_imports([&](std::string_view name) -> void* {
      return is_of_pnmpi(name) ? preload.real_dlsym(own, std::string(name).c_str()) : nullptr;
    });
}

void begin_pnmpi(Runtime& runtime) {
  PnmpiModules& modules = runtime.pnmpi;
  if (!modules.has_modules()) return;
  if (modules.is_called(is_switching)) runtime.stack.open_doors(runtime.asked.layers.size());
  if (modules.is_called(asks_for_call)) {
    cairn_noted_place = runtime.preload.program_call;
    for (std::size_t i = 0; i < runtime.preload.functions; ++i)
      runtime.stack.observe(static_cast<FunctionIndex>(i), noting_entry(i), &cairn_noted_next[i]);
  }
  std::atexit([] { cairn::runtime().pnmpi.end(); });
  modules.begin();
}

}  // namespace cairn
