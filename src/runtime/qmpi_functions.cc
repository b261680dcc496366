// SPDX-License-Identifier: BSD-3-Clause
// qmpi_functions.cc - from QMPI's functions, which know no instance, to the one there is.

#include "runtime/qmpi_functions.hpp"

#include "runtime/runtime.hpp"

namespace cairn {

namespace {

struct Context {
  void** frame;
};

int register_tool_name(const char* name, void (*init)(int)) { return runtime().qmpi.register_tool_name(name, init); }

int register_tool_storage(int id, void* storage) {
  return runtime().qmpi.register_tool_storage(id, storage, __builtin_return_address(0));
}

int register_function(int id, int number, QmpiFunction function) {
  return runtime().qmpi.register_function(id, number, function, __builtin_return_address(0));
}

int get_function(int id, int number, QmpiFunction* function, int* next_id) {
  if (const Qmpi::Answer* const answer = runtime().qmpi.answer(id, number)) [[likely]] {
    *function = answer->function;
    *next_id = answer->id;
    if (answer->function != nullptr) [[likely]]
      return 0;
  }
  return runtime().qmpi.no_function(id, number, __builtin_return_address(0));
}

int get_tool_storage(Context /*context*/, int id, void** storage) {
  if (runtime().qmpi.storage(id, storage)) [[likely]]
    return 0;
  return runtime().qmpi.no_storage(id, storage, __builtin_return_address(0));
}

int get_calling_address(Context context, void** address) {
  *address = context.frame == nullptr ? nullptr : *context.frame;
  return 0;
}

}  // namespace

std::span<const QmpiEntry> qmpi_functions() {
  static const QmpiEntry all[] = {
      {"QMPI_Register_tool_name", reinterpret_cast<void*>(register_tool_name)},
      {"QMPI_Register_tool_storage", reinterpret_cast<void*>(register_tool_storage)},
      {"QMPI_Register_function", reinterpret_cast<void*>(register_function)},
      {"QMPI_Get_function", reinterpret_cast<void*>(get_function)},
      {"QMPI_Get_tool_storage", reinterpret_cast<void*>(get_tool_storage)},
      {"QMPI_Get_calling_address", reinterpret_cast<void*>(get_calling_address)},
  };
  return all;
}

void tell_thesis_problem(const char* text) { runtime().thesis.tell_problem(text, __builtin_return_address(0)); }

}  // namespace cairn
