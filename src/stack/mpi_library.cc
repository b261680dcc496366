// SPDX-License-Identifier: BSD-3-Clause
// mpi_library.cc - looking up the library's functions.

#include "stack/mpi_library.hpp"

#include <dlfcn.h>

#include "request/loaded_mpi.hpp"

namespace cairn {

MpiLibrary::MpiLibrary(const Preload& preload, const MpiFamily& family)
    : preload_(preload),
      functions_({preload.names, preload.functions}),
      native_(preload.functions),
      target_{&family, {}} {
  for (std::size_t i = 0; i < native_.size(); ++i) native_[i] = preload.native(i);
  target_.description = describe_mpi(family, native_[functions_.find("MPI_Get_library_version")]);
}

void* MpiLibrary::own_function(std::string_view name) const {
  if (void* const found = preload_.real_dlsym(RTLD_DEFAULT, ("P" + std::string(name)).c_str())) return found;
  const FunctionIndex function = functions_.find(name);  // of a library that was opened privately
  return function == Functions::none ? nullptr : native_[function];
}

bool MpiLibrary::is_called_by(const LoadedObject& object) const {
  return object.any_import([&](std::string_view name) {
    return functions_.find(name) != Functions::none || functions_.find_shifted(name) != Functions::none;
  });
}

bool MpiLibrary::is_wrapped_by(const LoadedObject& object) const {
  bool found = false;
  object.for_each_function(
      [&](std::string_view name, void*, std::size_t) { found = found || functions_.find(name) != Functions::none; });
  return found;
}

}  // namespace cairn
