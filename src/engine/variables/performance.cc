// SPDX-License-Identifier: BSD-3-Clause
// performance.cc - MPI_T_pvar_…: sessions and handles, the library's and ours.
//
// A session is always the library's; a handle of ours remembers which one it belongs to.

#include <mpi.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "variables/object_address.hpp"
#include "variables/performance_handle.hpp"
#include "variables/registry.hpp"

namespace cairn::engine {

namespace {

/// Under the registry's lock.
std::vector<MPI_T_pvar_session>& sessions() {
  static auto* const open = new std::vector<MPI_T_pvar_session>;
  return *open;
}

Target<Variable> find(int index) {
  const std::lock_guard guard(registry().lock());
  return registry().performance(index);
}

int describe(const Variable& variable, char* name, int* name_length, int* verbosity, int* variable_class,
             MPI_Datatype* type, MPI_T_enum* enumeration, char* description, int* description_length, int* binding,
             int* read_only, int* continuous, int* atomic) {
  give_text(variable.name, name, name_length);
  give_text(variable.description, description, description_length);
  give(verbosity, variable.verbosity);
  give(variable_class, variable.kind);
  give(type, variable.type);
  give(enumeration, variable.enumeration == nullptr ? MPI_T_ENUM_NULL
                                                    : static_cast<MPI_T_enum>(Handles::handle(*variable.enumeration)));
  give(binding, variable.binding);
  give(read_only, (variable.facts.flags & CAIRN_READONLY) != 0 ? 1 : 0);
  give(continuous, (variable.facts.flags & CAIRN_CONTINUOUS) != 0 ? 1 : 0);
  give(atomic, (variable.facts.flags & CAIRN_ATOMIC) != 0 ? 1 : 0);
  return MPI_SUCCESS;
}

int index_of(const char* name, int variable_class, int* index) {
  Registry& all = registry();
  const std::lock_guard guard(all.lock());
  all.update_performances();
  int library = -1;
  const int code = PMPI_T_pvar_get_index(name, variable_class, &library);
  if (code == MPI_SUCCESS) {
    *index = all.performances().place(library);
    return code;
  }
  const Variable* const found = find_own(
      all.performances(), name, [&](const Variable& one) { return one.index >= 0 && one.kind == variable_class; });
  if (found == nullptr) return code;
  *index = found->index;
  return MPI_SUCCESS;
}

bool is_session(MPI_T_pvar_session session) {
  const std::lock_guard guard(registry().lock());
  return std::ranges::count(sessions(), session) != 0;
}

int keep(const Variable& variable, MPI_T_pvar_session session, void* bound, int elements, MPI_T_pvar_handle* handle) {
  PerformanceHandle* made = nullptr;
  {
    const std::lock_guard guard(registry().lock());
    made = Handles::make<PerformanceHandle>(variable, session, bound, elements);
  }
  if (made == nullptr) return MPI_T_ERR_OUT_OF_HANDLES;
  const int code = made->is_good() ? made->begin() : static_cast<int>(MPI_T_ERR_MEMORY);
  if (code == MPI_SUCCESS) {
    *handle = static_cast<MPI_T_pvar_handle>(Handles::handle(*made));
    return code;
  }
  const std::lock_guard guard(registry().lock());
  Handles::destroy(*made);
  return code;
}

int allocate(const Variable& variable, MPI_T_pvar_session session, void* object, MPI_T_pvar_handle* handle,
             int* count) {
  void* bound = variable.facts.context;
  int elements = variable.facts.count;
  if (!is_session(session)) return MPI_T_ERR_INVALID_SESSION;
  if (variable.facts.open != nullptr) {
    const int answer = variable.facts.open(bound, object, &bound, &elements);
    if (answer != CAIRN_DONE) return code_of(answer, MPI_T_ERR_INVALID);
  }
  const int code = keep(variable, session, bound, elements, handle);
  if (code == MPI_SUCCESS) give(count, elements);
  else if (variable.facts.close != nullptr) variable.facts.close(bound);
  return code;
}

/// The handle, if it belongs to the session; else `code` is what MPI_T says.
PerformanceHandle* own(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int& code) {
  PerformanceHandle* const mine = Handles::get<PerformanceHandle>(handle);
  if (mine != nullptr && mine->session() == session) [[likely]]
    return mine;
  code = or_not_initialized(is_session(session) ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_INVALID_SESSION);
  return nullptr;
}

/// Not inlined, so that what is the library's is passed on by a jump, without a frame.
template <class Value>
[[gnu::noinline]] int with_own(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                               int (PerformanceHandle::*action)(Value*), Value* value) {
  int code = MPI_SUCCESS;
  PerformanceHandle* const mine = own(session, handle, code);
  return mine == nullptr ? code : (mine->*action)(value);
}

std::vector<PerformanceHandle*> handles_where(bool (*fits)(const PerformanceHandle&, MPI_T_pvar_session),
                                              MPI_T_pvar_session session) {
  std::vector<PerformanceHandle*> found;
  const std::lock_guard guard(registry().lock());
  Handles::for_each<PerformanceHandle>([&](PerformanceHandle& handle) {
    if (fits(handle, session)) found.push_back(&handle);
  });
  return found;
}

bool is_of(const PerformanceHandle& handle, MPI_T_pvar_session session) { return handle.session() == session; }
bool is_any(const PerformanceHandle& /*handle*/, MPI_T_pvar_session /*session*/) { return true; }

void free_handles(const std::vector<PerformanceHandle*>& handles) {
  for (PerformanceHandle* const handle : handles) handle->close();
  const std::lock_guard guard(registry().lock());
  for (PerformanceHandle* const handle : handles) Handles::destroy(*handle);
}

/// start, stop and reset; with all handles of the session, those for which it makes no sense are left out.
template <class Library>
int act(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Library library, int (PerformanceHandle::*action)(),
        bool (PerformanceHandle::*left_out)() const) {
  int code = MPI_SUCCESS;
  if (Handles::is_own(handle)) {
    PerformanceHandle* const mine = own(session, handle, code);
    return mine == nullptr ? code : (mine->*action)();
  }
  code = library(session, handle);
  if (handle != MPI_T_PVAR_ALL_HANDLES || !registry().in_use()) return code;
  for (PerformanceHandle* const each : handles_where(is_of, session))
    if (!(each->*left_out)())
      if (const int own_code = (each->*action)(); code == MPI_SUCCESS) code = own_code;
  return code;
}

}  // namespace

void free_performance_handles() {
  free_handles(handles_where(is_any, MPI_T_PVAR_SESSION_NULL));
  const std::lock_guard guard(registry().lock());
  sessions().clear();
}

}  // namespace cairn::engine

using namespace cairn::engine;

extern "C" {

int MPI_T_pvar_get_num(int* num_pvar) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  const int code = PMPI_T_pvar_get_num(num_pvar);
  if (code != MPI_SUCCESS || !registry().in_use() || num_pvar == nullptr) return code;
  const std::lock_guard guard(registry().lock());
  registry().update_performances();
  *num_pvar = registry().performances().size();
  return code;
}

int MPI_T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                        MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind,
                        int* readonly, int* continuous, int* atomic) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  int library = pvar_index;
  if (registry().in_use()) {
    const Target<Variable> target = find(pvar_index);
    if (target.own != nullptr)
      return describe(*target.own, name, name_len, verbosity, var_class, datatype, enumtype, desc, desc_len, bind,
                      readonly, continuous, atomic);
    library = target.library;
  }
  return PMPI_T_pvar_get_info(library, name, name_len, verbosity, var_class, datatype, enumtype, desc, desc_len, bind,
                              readonly, continuous, atomic);
}

int MPI_T_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!registry().in_use() || !registry().is_initialized() || name == nullptr || pvar_index == nullptr)
    return PMPI_T_pvar_get_index(name, var_class, pvar_index);
  return index_of(name, var_class, pvar_index);
}

int MPI_T_pvar_session_create(MPI_T_pvar_session* pe_session) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  const int code = PMPI_T_pvar_session_create(pe_session);
  if (code != MPI_SUCCESS) return code;
  const std::lock_guard guard(registry().lock());
  sessions().push_back(*pe_session);
  return code;
}

int MPI_T_pvar_session_free(MPI_T_pvar_session* pe_session) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (pe_session != nullptr && is_session(*pe_session)) {
    free_handles(handles_where(is_of, *pe_session));
    const std::lock_guard guard(registry().lock());
    std::erase(sessions(), *pe_session);
  }
  return PMPI_T_pvar_session_free(pe_session);
}

int MPI_T_pvar_handle_alloc(MPI_T_pvar_session pe_session, int pvar_index, void* obj_handle, MPI_T_pvar_handle* handle,
                            int* count) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  obj_handle = address_of_object(obj_handle);
  int library = pvar_index;
  if (registry().in_use()) {
    const Target<Variable> target = find(pvar_index);
    if (target.own != nullptr) return allocate(*target.own, pe_session, obj_handle, handle, count);
    library = target.library;
  }
  return PMPI_T_pvar_handle_alloc(pe_session, library, obj_handle, handle, count);
}

int MPI_T_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle* handle) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (handle == nullptr || !Handles::is_own(*handle)) return PMPI_T_pvar_handle_free(pe_session, handle);
  int code = MPI_SUCCESS;
  PerformanceHandle* const mine = own(pe_session, *handle, code);
  if (mine == nullptr) return code;
  free_handles({mine});
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return code;
}

int MPI_T_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle) {
  return act(pe_session, handle, PMPI_T_pvar_start, &PerformanceHandle::start, &PerformanceHandle::is_continuous);
}

int MPI_T_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle) {
  return act(pe_session, handle, PMPI_T_pvar_stop, &PerformanceHandle::stop, &PerformanceHandle::is_continuous);
}

int MPI_T_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle) {
  return act(pe_session, handle, PMPI_T_pvar_reset, &PerformanceHandle::reset, &PerformanceHandle::is_read_only);
}

int MPI_T_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void* buf) {
  if (!Handles::is_own(handle)) [[likely]]
    return PMPI_T_pvar_read(pe_session, handle, buf);
  return with_own(pe_session, handle, &PerformanceHandle::read, buf);
}

int MPI_T_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void* buf) {
  if (!Handles::is_own(handle)) [[likely]]
    return PMPI_T_pvar_readreset(pe_session, handle, buf);
  return with_own(pe_session, handle, &PerformanceHandle::read_and_reset, buf);
}

int MPI_T_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, const void* buf) {
  if (!Handles::is_own(handle)) [[likely]]
    return PMPI_T_pvar_write(pe_session, handle, buf);
  return with_own(pe_session, handle, &PerformanceHandle::write, buf);
}
}
