// SPDX-License-Identifier: BSD-3-Clause
// stack.cc - linking layers to each other, and the program and the MPI library to the stack.

#include "stack/stack.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>

#include "stack/guards.hpp"

namespace cairn {

Stack::Stack(const Preload& preload, const MpiFamily& mpi)
    : preload_(preload),
      mpi_(mpi),
      functions_({preload.names, preload.functions}),
      native_(preload.functions),
      covering_level_(preload.functions) {
  for (std::size_t i = 0; i < native_.size(); ++i) native_[i] = preload.native(i);
  top_ = native_;
}

void* Stack::library_function(std::string_view name) const {
  if (void* const found = preload_.real_dlsym(RTLD_DEFAULT, ("P" + std::string(name)).c_str())) return found;
  const FunctionIndex function = functions_.find(name);  // of a library that was opened privately
  return function == Functions::none ? nullptr : native_[function];
}

void Stack::open() const {
  const std::lock_guard lock(switching_);
  fill_slots();
}

void Stack::fill_slots() const {
  for (std::size_t i = 0; i < top_.size(); ++i) {
    if (top_[i] == nullptr) continue;
    const bool observed = i == observer_.function;
    if (observed) __atomic_store_n(observer_.next, top_[i], __ATOMIC_RELEASE);
    __atomic_store_n(&preload_.slots[i], observed ? observer_.entry : top_[i], __ATOMIC_RELEASE);
  }
}

void Stack::observe(FunctionIndex function, void* entry, void** next) { observer_ = {function, entry, next}; }

void Stack::cover(const Layer& layer) {
  for (std::size_t i = 0; i < top_.size(); ++i)
    if (void* entry = layer.entry(static_cast<FunctionIndex>(i))) top_[i] = entry;
}

/// Each store is one pointer, so a call finds either the old or the new way down.
void Stack::link_anew() {
  top_ = native_;
  for (Layer& layer : layers_) {
    layer.link(functions_, top_);
    cover(layer);
  }
  fill_slots();
}

bool Stack::has_layer(unsigned level) const {
  const std::lock_guard lock(switching_);
  return std::ranges::any_of(layers_, [&](const Layer& layer) { return layer.level() == level; });
}

bool Stack::is_switched_on(unsigned level) const {
  const std::lock_guard lock(switching_);
  return std::ranges::any_of(
      layers_, [&](const Layer& layer) { return layer.level() == level && !layer.is_off(Off::by_switch); });
}

bool Stack::mentions_mpi(const LoadedObject& object) const {
  return object.any_import([&](std::string_view name) {
    return functions_.find(name) != Functions::none || functions_.find_shifted(name) != Functions::none;
  });
}

/// `owner`: the layer that opened the object, or null.
void Stack::link_object(LoadedObject object, const Layer* owner) {
  const std::string_view file = object.file_name();
  if (mpi_.is_glue(file)) link_glue(object);
  else if (mpi_.is_inner(file)) link_inner(object);
  else if (owner != nullptr) link_to_layer(object, *owner);
  else if (object.path().empty()) link_program(object);
}

/// Fortran calls come as calls of PMPI_X, and are the program's.
void Stack::link_glue(LoadedObject& object) {
  object.redirect_imports([&](std::string_view name) -> void* {
    const FunctionIndex function = functions_.find_shifted(name);
    if (function == Functions::none || native_[function] == nullptr) return nullptr;
    const std::string_view plain = functions_.name(function);
    if (is_handle_conversion(plain)) return nullptr;
    if (mpi_.is_glue_helper(plain)) return make_guard(object, plain, preload_.stubs[function], native_[function]);
    return preload_.stubs[function];
  });
}

/// Calls of MPI_X that the MPI library makes are its own affair.
void Stack::link_inner(LoadedObject& object) {
  object.redirect_imports([&](std::string_view name) -> void* {
    const FunctionIndex function = functions_.find(name);
    return function == Functions::none ? nullptr : native_[function];
  });
}

/// What a layer opens belongs to the layer, and is linked as the stack is at that time.
void Stack::link_to_layer(LoadedObject& object, const Layer& layer) {
  const std::lock_guard lock(switching_);
  layer.redirect(object, functions_, [&](FunctionIndex function) { return below(&layer, function); });
}

bool Stack::defines_wrappers(const LoadedObject& object) const {
  bool found = false;
  object.for_each_function(
      [&](std::string_view name, void*, std::size_t) { found = found || functions_.find(name) != Functions::none; });
  return found;
}

/// A tool linked into the program itself stays on top; what it passes on goes through the stack.
void Stack::link_program(LoadedObject& object) {
  if (!defines_wrappers(object)) return;
  object.redirect_imports([&](std::string_view name) -> void* {
    const FunctionIndex function = functions_.find_shifted(name);
    return function == Functions::none || native_[function] == nullptr ? nullptr : preload_.stubs[function];
  });
}

bool Stack::passes_program_calls(const void* address) const {
  const link_map* map = object_at(address);
  if (map == nullptr) return false;
  const LoadedObject object(map);
  return mpi_.is_glue(object.file_name()) || (object.path().empty() && defines_wrappers(object));
}

bool Stack::is_program_code(const void* address) const {
  if (is_in_layer(address)) return false;
  const link_map* map = object_at(address);
  return map != nullptr && !mpi_.is_part(LoadedObject(map).file_name());
}

void Stack::link_opened(const void* opener, void* handle, const LoadedSnapshot& before) {
  const Layer* const owner = layer_of(opener);
  before.for_each_newer_of(handle, [&](const LoadedObject& object) {
    const std::lock_guard lock(scanning_);
    link_object(object, owner);
  });
}

void Stack::link_surroundings() {
  struct Walk {
    Stack& stack;
    bool first = true;
    bool all = false;
  } walk{*this};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
        auto& [stack, first, all] = *static_cast<Walk*>(data);
        const std::lock_guard lock(stack.scanning_);
        if (first) {
          ++stack.scans_;
          all = info->dlpi_subs != stack.unloads_seen_;  // where one object lay may lie another, or the same one anew
          stack.unloads_seen_ = info->dlpi_subs;
          first = false;
        }
        unsigned long& seen = stack.seen_in_scan_[info->dlpi_addr];
        const bool is_new = seen == 0 || seen + 1 != stack.scans_;
        seen = stack.scans_;
        if (is_new || all) stack.link_object(LoadedObject(*info), nullptr);
        return 0;
      },
      &walk);
}

const Layer* Stack::layer_of(const void* address) const {
  const auto found = std::ranges::find_if(layers_, [&](const Layer& layer) { return layer.contains(address); });
  return found == layers_.end() ? nullptr : &*found;
}

/// What lies under a layer; under the one that is being loaded lies the top.
void* Stack::below(const Layer* layer, FunctionIndex function) const {
  if (layer == nullptr) return top_[function];
  bool under = false;
  for (auto place = layers_.rbegin(); place != layers_.rend(); ++place) {
    if (under)
      if (void* entry = place->entry(function)) return entry;
    under = under || &*place == layer;
  }
  return native_[function];
}

/// The object of the layer that is just being loaded in which the address lies; null for any other address.
const link_map* Stack::loading_object_at(const void* address) const {
  if (!before_load_) return nullptr;
  const link_map* object = object_at(address);
  return object == nullptr || before_load_->contains(object) ? nullptr : object;
}

std::uintptr_t Stack::answer_dlsym(void* handle, const char* name, const void* caller) const {
  const FunctionIndex shifted = functions_.find_shifted(name);
  const FunctionIndex function = shifted != Functions::none ? shifted : functions_.find(name);
  if (function == Functions::none) return dlsym_not_ours;

  const Layer* layer = layer_of(caller);
  const link_map* object = layer == nullptr ? loading_object_at(caller) : nullptr;
  if (layer == nullptr && object == nullptr) return dlsym_not_ours;

  if (handle != RTLD_NEXT && handle != RTLD_DEFAULT) {
    const void* found = preload_.real_dlsym(handle, name);
    const void* library = preload_.real_dlsym(handle, ("P" + std::string(functions_.name(function))).c_str());
    if (found != preload_.stubs[function] && found != native_[function] && found != library) return dlsym_not_ours;
  } else if (handle == RTLD_DEFAULT && shifted == Functions::none) {
    Layer loading(0, functions_);
    if (layer == nullptr) loading.add_object(LoadedObject(object), functions_);
    if (void* own = (layer == nullptr ? &loading : layer)->own_wrapper(function))
      return reinterpret_cast<std::uintptr_t>(own);
  }
  const std::lock_guard lock(switching_);
  return reinterpret_cast<std::uintptr_t>(below(layer, function));
}

}  // namespace cairn
