// SPDX-License-Identifier: BSD-3-Clause
// deep_binding.cc - redirecting imports of MPI functions that the dynamic loader has bound past the stubs.

#include "stack/deep_binding.hpp"

#include <algorithm>
#include <optional>

#include "request/mpi_family.hpp"

namespace cairn {

namespace {

/// "PMPI_Init" and what else glue may call first.
constexpr std::string_view first_of_glue[] = {
#define CAIRN_SHIFTED_NAME(name) #name,
#include "contracts/shifted_names.inc"
#undef CAIRN_SHIFTED_NAME
};

bool is_glue(const LoadedObject& object) {
  return std::ranges::any_of(mpi_families(), [&](const MpiFamily& one) { return one.is_glue(object.file_name()); });
}

/// Its language bindings are ordinary callers of MPI_X.
bool is_mpi_library(const LoadedObject& object) {
  return std::ranges::any_of(mpi_families(), [&](const MpiFamily& one) {
    return one.is_library(object.soname()) || one.is_inner(object.file_name());
  });
}

}  // namespace

DeepBinding::DeepBinding(const Preload& preload, void* handle)
    : preload_(preload),
      handle_(handle),
      functions_({preload.names, preload.functions}),
      finds_library_(preload.functions) {
  std::optional<LoadedObject> library;
  for (std::size_t i = 0; i < preload.functions; ++i) {
    const void* const found = preload.real_dlsym(handle, preload.names[i]);
    if (found == nullptr) continue;
    if (!library || !library->contains(found)) {
      const link_map* const owner = object_at(found);
      if (owner == nullptr || !is_mpi_library(LoadedObject(owner))) continue;
      library.emplace(owner);
    }
    finds_library_[i] = true;
  }
}

void DeepBinding::link_object(LoadedObject object) const {
  object.redirect_imports([&](std::string_view name) -> void* {
    const FunctionIndex function = functions_.find(name);
    return function == Functions::none || !finds_library_[function] ? nullptr : preload_.stubs[function];
  });
}

void DeepBinding::link_glue(LoadedObject object) const {
  object.redirect_imports([&](std::string_view name) -> void* {
    const auto* const first = std::ranges::find(first_of_glue, name);
    const FunctionIndex function = functions_.find_shifted(name);
    return first == std::end(first_of_glue) || function == Functions::none ? nullptr : preload_.stubs[function];
  });
}

void DeepBinding::link(const LoadedSnapshot& before) const {
  before.for_each_newer_of(handle_, [&](const LoadedObject& object) {
    if (!is_mpi_library(object)) link_object(object);
  });
}

void DeepBinding::link_first_calls(const LoadedSnapshot& before) const {
  link(before);
  before.for_each_newer_of(handle_, [&](const LoadedObject& object) {
    if (is_glue(object)) link_glue(object);
  });
}

}  // namespace cairn
