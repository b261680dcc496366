// SPDX-License-Identifier: BSD-3-Clause
// dlsym_answers.cc - telling whose question it is, and whether it is about the stack.

#include "stack/dlsym_answers.hpp"

#include <dlfcn.h>

namespace cairn {

/// Whether a handle leads to the function that the program's MPI library has, or to our stub for it.
bool DlsymAnswers::is_of_mpi(void* handle, const char* name, FunctionIndex function) const {
  const void* const found = preload_.real_dlsym(handle, name);
  const std::string shifted = "P" + std::string(mpi_.functions().name(function));
  return found == preload_.stubs[function] || found == mpi_.native(function) ||
         found == preload_.real_dlsym(handle, shifted.c_str());
}

std::uintptr_t DlsymAnswers::answer(void* handle, const char* name, const void* caller) const {
  const FunctionIndex shifted = mpi_.functions().find_shifted(name);
  const FunctionIndex function = shifted != Functions::none ? shifted : mpi_.functions().find(name);
  if (function == Functions::none) return dlsym_not_ours;

  const Layer* const layer = stack_.layer_of(caller);
  const link_map* const loading = layer == nullptr ? loader_.loading_object_at(caller) : nullptr;
  if (layer == nullptr && loading == nullptr) return dlsym_not_ours;

  if (handle != RTLD_NEXT && handle != RTLD_DEFAULT) {
    if (!is_of_mpi(handle, name, function)) return dlsym_not_ours;
  } else if (handle == RTLD_DEFAULT && shifted == Functions::none) {
    Layer unfinished(LayerId::none, mpi_.functions());
    if (layer == nullptr) unfinished.add_object(LoadedObject(loading), mpi_.functions());
    if (void* own = (layer == nullptr ? &unfinished : layer)->own_wrapper(function))
      return reinterpret_cast<std::uintptr_t>(own);
  }
  return reinterpret_cast<std::uintptr_t>(stack_.below(layer, function));
}

}  // namespace cairn
