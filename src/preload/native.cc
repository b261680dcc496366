// SPDX-License-Identifier: BSD-3-Clause
// native.cc - what the process would reach were libcairn.so not there: dlopen, dlsym and the MPI library's functions.
//
// On any thread, also several at once. Compiled as binder.cc is.

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "preload/parts.hpp"

extern "C" {
DlopenFunction* cairn_real_dlopen = nullptr;
DlsymFunction* cairn_real_dlsym = nullptr;
extern DlsymFunction* cairn_dlsym_slot;
}

namespace {

/// By its version, as dlsym cannot be asked for itself.
DlsymFunction* find_dlsym() {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<DlsymFunction*>(found);
  return nullptr;
}

/// The paths of all loaded objects, one after the other and an empty one behind the last; to be freed.
struct Paths {
  char* text = nullptr;
  std::size_t size = 0;

  void add(const char* path) {
    const std::size_t length = std::strlen(path) + 1;
    auto* const longer = static_cast<char*>(std::realloc(text, size + length + 1));
    if (longer == nullptr) return;
    text = longer;
    std::memcpy(text + size, path, length);
    size += length;
    text[size] = '\0';
  }
};

/// dl_iterate_phdr holds the lock under which other threads' dlopen and dlclose change the list.
Paths paths_of_objects() {
  Paths paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0') static_cast<Paths*>(data)->add(info->dlpi_name);
        return 0;
      },
      &paths);
  return paths;
}

/// A handle through which PMPI_X are found, for an MPI library that was opened privately (Python does that).
void* find_private_mpi_library() {
  const Paths paths = paths_of_objects();
  void* found = nullptr;
  for (const char* path = paths.text; path != nullptr && *path != '\0' && found == nullptr;
       path += std::strlen(path) + 1) {
    void* const handle = cairn_real_dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) continue;
    if (cairn_real_dlsym(handle, "PMPI_Comm_rank") != nullptr) found = handle;
    else dlclose(handle);
  }
  std::free(paths.text);
  return found;
}

/// Only what was found is kept: the program may ask for an MPI function before it opens the library.
void* private_mpi_library() {
  static std::atomic<void*> known{nullptr};
  void* library = known.load(std::memory_order_acquire);
  if (library != nullptr) return library;
  library = find_private_mpi_library();
  known.store(library, std::memory_order_release);
  return library;
}

}  // namespace

void cairn_find_dl_functions() {
  void* entry_before = __atomic_load_n(&cairn_dlopen_slot, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&cairn_real_dlopen, __ATOMIC_ACQUIRE) != nullptr) return;
  DlsymFunction* const dlsym_function = find_dlsym();
  auto* const dlopen_function = reinterpret_cast<DlopenFunction*>(dlsym_function(RTLD_NEXT, "dlopen"));
  __atomic_store_n(&cairn_real_dlsym, dlsym_function, __ATOMIC_RELEASE);
  __atomic_store_n(&cairn_real_dlopen, dlopen_function, __ATOMIC_RELEASE);
  void* const entry = cairn_requested_tools() != nullptr ? const_cast<char*>(cairn_dlopen_unbound)
                                                         : reinterpret_cast<void*>(dlopen_function);
  // Another thread may have found them too, and the stack may be there already.
  __atomic_compare_exchange_n(&cairn_dlopen_slot, &entry_before, entry, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  __atomic_store_n(&cairn_dlsym_slot, dlsym_function, __ATOMIC_RELEASE);
}

void* cairn_next(const char* name) {
  cairn_find_dl_functions();
  return cairn_real_dlsym(RTLD_NEXT, name);
}

void* cairn_native(const char* name) {
  if (void* next = cairn_real_dlsym(RTLD_NEXT, name)) return next;
  void* const library = private_mpi_library();
  return library == nullptr ? nullptr : cairn_real_dlsym(library, name);
}
