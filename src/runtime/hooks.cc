// SPDX-License-Identifier: BSD-3-Clause
// hooks.cc - answers to libcairn.so, and what is heard of MPI_Pcontrol.

#include "runtime/hooks.hpp"

#include <dlfcn.h>
#include <errno.h>

#include <type_traits>

#include "runtime/annotations.hpp"
#include "runtime/pcontrol_entry.hpp"
#include "runtime/runtime.hpp"
#include "stack/caller_search.hpp"
#include "stack/deep_binding.hpp"

namespace cairn {

namespace {

/// Entered by a jump from the program's dlopen, so the return address is the program's.
void* on_dlopen(const char* file, int mode) noexcept {
  const void* caller = __builtin_return_address(0);
  Runtime& self = runtime();
  const std::string found = found_by_caller(self.preload.real_dlopen, file, caller);
  const LoadedSnapshot before;
  void* handle = self.preload.real_dlopen(found.empty() ? file : found.c_str(), mode);
  if (handle == nullptr) return handle;
  if (self.building.goes_on()) {  // what the program opens meanwhile is linked with the finished stack's surroundings
    if (self.building.is_here()) self.loader.note_opened(handle);
    return handle;
  }
  self.surroundings.link();
  self.surroundings.link_opened(caller, handle, before);
  if (self.stack.layer_of(caller) != nullptr) return handle;
  if ((mode & RTLD_DEEPBIND) != 0) DeepBinding(self.preload, handle).link(before);
  link_annotations(before);
  return handle;
}

std::uintptr_t on_dlsym(void* handle, const char* name, const void* caller) noexcept {
  const Runtime& self = runtime();
  if (self.building.goes_on() && !self.building.is_here()) return dlsym_not_ours;
  return self.dlsym.answer(handle, name, caller);
}

/// What a tool marks for itself is not heard, and while the stack is built, nothing can be.
void on_annotation(bool begins, const char* name, const void* caller) noexcept {
  const Runtime& self = runtime();
  if (WithinAnnotation::is_here()) return;  // Caliper passes regions on to NVTX if it is asked to
  if (self.building.goes_on() || self.stack.layer_of(caller) != nullptr) return;
  if (begins) begin_region(name);
  else if (name != nullptr) end_region(name);
  else end_innermost_region();
}

bool is_glue(const void* address) noexcept { return runtime().surroundings.passes_program_calls(address); }

/// Gives libcairn.so an entry, which other threads may use from then on, with all that was done before.
template <class Entry>
void publish(Entry& place, std::type_identity_t<Entry> entry) {
  __atomic_store_n(&place, entry, __ATOMIC_RELEASE);
}

}  // namespace

void set_hooks(const Preload& preload) {
  publish(*preload.dlsym_hook, on_dlsym);
  publish(*preload.glue_hook, is_glue);
  publish(*preload.annotation_hook, on_annotation);
  publish(*preload.dlopen_slot, reinterpret_cast<void*>(on_dlopen));
}

}  // namespace cairn

/// Called by cairn_pcontrol_entry on the thread that calls MPI_Pcontrol. Returns where the call goes on.
/// `more` is where the next argument would be.
void* cairn_pcontrol_heard(int level, const char* more) {
  void* const delivery = cairn::pcontrol_delivery(level);
  const int before = errno;
  cairn::runtime().switching.hear_pcontrol(level, more);
  errno = before;
  return delivery != nullptr ? delivery : __atomic_load_n(&cairn_pcontrol_next, __ATOMIC_ACQUIRE);
}
