// SPDX-License-Identifier: BSD-3-Clause
// surroundings.cc - finding the objects around the stack and linking each by what it is.

#include "stack/surroundings.hpp"

#include <link.h>

#include "stack/guards.hpp"

namespace cairn {

/// `owner`: the layer that opened the object, or null.
void Surroundings::link_object(LoadedObject object, const Layer* owner) {
  const std::string_view file = object.file_name();
  if (mpi_.family().is_glue(file)) link_glue(object);
  else if (mpi_.family().is_inner(file)) link_inner(object);
  else if (owner != nullptr) stack_.link_to_layer(object, *owner);
  else if (object.path().empty()) link_program(object);
}

/// Fortran calls come as calls of PMPI_X, and are the program's.
void Surroundings::link_glue(LoadedObject& object) const {
  object.redirect_imports([&](std::string_view name) -> void* {
    const FunctionIndex function = mpi_.functions().find_shifted(name);
    if (function == Functions::none || mpi_.native(function) == nullptr) return nullptr;
    const std::string_view plain = mpi_.functions().name(function);
    if (is_handle_conversion(plain)) return nullptr;
    void* const stub = preload_.stubs[function];
    return mpi_.family().is_glue_helper(plain) ? make_guard(object, plain, stub, mpi_.native(function)) : stub;
  });
}

/// Calls of MPI_X that the MPI library makes are its own affair.
void Surroundings::link_inner(LoadedObject& object) const {
  object.redirect_imports([&](std::string_view name) -> void* {
    const FunctionIndex function = mpi_.functions().find(name);
    return function == Functions::none ? nullptr : mpi_.native(function);
  });
}

/// A tool linked into the program itself stays on top; what it passes on goes through the stack.
void Surroundings::link_program(LoadedObject& object) const {
  if (!mpi_.is_wrapped_by(object)) return;
  object.redirect_imports([&](std::string_view name) -> void* {
    const FunctionIndex function = mpi_.functions().find_shifted(name);
    return function == Functions::none || mpi_.native(function) == nullptr ? nullptr : preload_.stubs[function];
  });
}

bool Surroundings::passes_program_calls(const void* address) const {
  const link_map* map = object_at(address);
  if (map == nullptr) return false;
  const LoadedObject object(map);
  return mpi_.family().is_glue(object.file_name()) || (object.path().empty() && mpi_.is_wrapped_by(object));
}

CallerKind Surroundings::kind_of_code(const void* address) const {
  if (stack_.layer_of(address) != nullptr) return CallerKind::layer;
  const link_map* map = object_at(address);
  const bool is_program = map != nullptr && !mpi_.family().is_part(LoadedObject(map).file_name());
  return is_program ? CallerKind::program : CallerKind::other;
}

void Surroundings::link_opened(const void* opener, void* handle, const LoadedSnapshot& before) {
  const Layer* const owner = stack_.layer_of(opener);
  before.for_each_newer_of(handle, [&](const LoadedObject& object) {
    const std::lock_guard lock(scanning_);
    link_object(object, owner);
  });
}

void Surroundings::link() {
  struct Walk {
    Surroundings& self;
    bool first = true;
    bool all = false;
  } walk{*this};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
        auto& [self, first, all] = *static_cast<Walk*>(data);
        const std::lock_guard lock(self.scanning_);
        if (first) {
          ++self.scans_;
          all = info->dlpi_subs != self.unloads_seen_;  // where one object lay may lie another, or the same one anew
          self.unloads_seen_ = info->dlpi_subs;
          first = false;
        }
        unsigned long& seen = self.seen_in_scan_[info->dlpi_addr];
        const bool is_new = seen == 0 || seen + 1 != self.scans_;
        seen = self.scans_;
        if (is_new || all) self.link_object(LoadedObject(*info), nullptr);
        return 0;
      },
      &walk);
}

}  // namespace cairn
