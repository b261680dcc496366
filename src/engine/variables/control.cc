// SPDX-License-Identifier: BSD-3-Clause
// control.cc - MPI_T_cvar_…: the library's control variables and ours.
//
// Every function passes on what belongs to the library: unchanged while nothing is ours, otherwise with
// the library's own index. Only functions that take an index need the lock; reading and writing do not.

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

#include "variables/object_address.hpp"
#include "variables/registry.hpp"

namespace cairn::engine {

namespace {

struct ControlHandle {
  static constexpr Slot slot = Slot::control;
  const Variable* variable;
  void* bound;
  int count;
};

ControlHandle* own(MPI_T_cvar_handle handle) { return Handles::get<ControlHandle>(handle); }

Target<Variable> find(int index) {
  const std::lock_guard guard(registry().lock());
  return registry().control(index);
}

void close(const Variable& variable, void* bound) {
  if (variable.facts.close != nullptr) variable.facts.close(bound);
}

int allocate(const Variable& variable, void* object, MPI_T_cvar_handle* handle, int* count) {
  void* bound = variable.facts.context;
  int elements = variable.facts.count;
  if (variable.facts.open != nullptr) {
    const int answer = variable.facts.open(bound, object, &bound, &elements);
    if (answer != CAIRN_DONE) return code_of(answer, MPI_T_ERR_INVALID);
  }
  const std::lock_guard guard(registry().lock());
  ControlHandle* const made = Handles::make<ControlHandle>(ControlHandle{&variable, bound, elements});
  if (made == nullptr) return MPI_T_ERR_OUT_OF_HANDLES;
  *handle = static_cast<MPI_T_cvar_handle>(Handles::handle(*made));
  give(count, elements);
  return MPI_SUCCESS;
}

bool has_item(const Enumeration& enumeration, int value) {
  return std::ranges::any_of(enumeration.items, [value](const auto& item) { return item.first == value; });
}

/// Whether the enumeration allows the value, so that tools need not check.
bool can_be(const ControlHandle& handle, const void* value) {
  const Enumeration* const enumeration = handle.variable->enumeration;
  const auto* const numbers = static_cast<const int*>(value);
  return enumeration == nullptr ||
         std::all_of(numbers, numbers + handle.count, [&](int one) { return has_item(*enumeration, one); });
}

/// A program's string may be shorter than the variable's room, all of which the tool may copy.
int write_text(const ControlHandle& handle, const char* text) {
  const auto room = static_cast<std::size_t>(handle.count);
  const std::size_t length = strnlen(text, room);
  if (length == room) return MPI_T_ERR_INVALID;
  std::string padded(room, '\0');
  padded.replace(0, length, text, length);
  return code_of(handle.variable->facts.write(handle.bound, padded.data()), MPI_T_ERR_CVAR_SET_NEVER);
}

int write(const ControlHandle& handle, const void* value) {
  const Variable& variable = *handle.variable;
  const bool fixed = variable.kind == MPI_T_SCOPE_CONSTANT || variable.kind == MPI_T_SCOPE_READONLY;
  if (fixed || variable.facts.write == nullptr) return MPI_T_ERR_CVAR_SET_NEVER;
  if (value == nullptr || !can_be(handle, value)) return MPI_T_ERR_INVALID;
  if (variable.facts.type == CAIRN_CHAR) return write_text(handle, static_cast<const char*>(value));
  return code_of(variable.facts.write(handle.bound, value), MPI_T_ERR_CVAR_SET_NEVER);
}

int describe(const Variable& variable, char* name, int* name_length, int* verbosity, MPI_Datatype* type,
             MPI_T_enum* enumeration, char* description, int* description_length, int* binding, int* scope) {
  give_text(variable.name, name, name_length);
  give_text(variable.description, description, description_length);
  give(verbosity, variable.verbosity);
  give(type, variable.type);
  give(enumeration, variable.enumeration == nullptr ? MPI_T_ENUM_NULL
                                                    : static_cast<MPI_T_enum>(Handles::handle(*variable.enumeration)));
  give(binding, variable.binding);
  give(scope, variable.kind);
  return MPI_SUCCESS;
}

int index_of(const char* name, int* index) {
  Registry& all = registry();
  const std::lock_guard guard(all.lock());
  all.update_controls();
  int library = -1;
  const int code = PMPI_T_cvar_get_index(name, &library);
  if (code == MPI_SUCCESS) {
    *index = all.controls().place(library);
    return code;
  }
  const Variable* const found = find_own(all.controls(), name, [](const Variable& one) { return one.index >= 0; });
  if (found == nullptr) return code;
  *index = found->index;
  return MPI_SUCCESS;
}

}  // namespace

void free_control_handles() {
  Handles::for_each<ControlHandle>([](ControlHandle& handle) {
    close(*handle.variable, handle.bound);
    Handles::destroy(handle);
  });
}

}  // namespace cairn::engine

using namespace cairn::engine;

extern "C" {

int MPI_T_cvar_get_num(int* num_cvar) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  const int code = PMPI_T_cvar_get_num(num_cvar);
  if (code != MPI_SUCCESS || !registry().in_use() || num_cvar == nullptr) return code;
  const std::lock_guard guard(registry().lock());
  registry().update_controls();
  *num_cvar = registry().controls().size();
  return code;
}

int MPI_T_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                        MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  int library = cvar_index;
  if (registry().in_use()) {
    const Target<Variable> target = find(cvar_index);
    if (target.own != nullptr)
      return describe(*target.own, name, name_len, verbosity, datatype, enumtype, desc, desc_len, bind, scope);
    library = target.library;
  }
  return PMPI_T_cvar_get_info(library, name, name_len, verbosity, datatype, enumtype, desc, desc_len, bind, scope);
}

int MPI_T_cvar_get_index(const char* name, int* cvar_index) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!registry().in_use() || !registry().is_initialized() || name == nullptr || cvar_index == nullptr)
    return PMPI_T_cvar_get_index(name, cvar_index);
  return index_of(name, cvar_index);
}

int MPI_T_cvar_handle_alloc(int cvar_index, void* obj_handle, MPI_T_cvar_handle* handle, int* count) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  obj_handle = address_of_object(obj_handle);
  int library = cvar_index;
  if (registry().in_use()) {
    const Target<Variable> target = find(cvar_index);
    if (target.own != nullptr) return allocate(*target.own, obj_handle, handle, count);
    library = target.library;
  }
  return PMPI_T_cvar_handle_alloc(library, obj_handle, handle, count);
}

int MPI_T_cvar_handle_free(MPI_T_cvar_handle* handle) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (handle == nullptr || !Handles::is_own(*handle)) return PMPI_T_cvar_handle_free(handle);
  ControlHandle* const mine = own(*handle);
  if (mine == nullptr) return or_not_initialized(MPI_T_ERR_INVALID_HANDLE);
  close(*mine->variable, mine->bound);
  const std::lock_guard guard(registry().lock());
  Handles::destroy(*mine);
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int MPI_T_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  if (!Handles::is_own(handle)) [[likely]]
    return PMPI_T_cvar_read(handle, buf);
  const ControlHandle* const mine = own(handle);
  if (mine == nullptr) return or_not_initialized(MPI_T_ERR_INVALID_HANDLE);
  return code_of(mine->variable->facts.read(mine->bound, buf), MPI_T_ERR_INVALID);
}

int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  if (!Handles::is_own(handle)) [[likely]]
    return PMPI_T_cvar_write(handle, buf);
  const ControlHandle* const mine = own(handle);
  if (mine == nullptr) return or_not_initialized(MPI_T_ERR_INVALID_HANDLE);
  return write(*mine, buf);
}
}
