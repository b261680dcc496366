// SPDX-License-Identifier: BSD-3-Clause
// unseen_mpi.cc - MPI libraries that a process calls past the stubs; asked at its end, when no call has come.
//
// The dynamic loader preloads nothing into a namespace of dlmopen, and a library that is linked into the program file
// is called without the dynamic loader.

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "loader/loaded_object.hpp"
#include "preload/parts.hpp"

namespace {

constexpr const char* question = "PMPI_Initialized";

enum class Found { nothing, unused, used };

Found ask(void* function) {
  int flag = 0;
  const bool used = reinterpret_cast<int (*)(int*)>(function)(&flag) == 0 && flag != 0;
  return used ? Found::used : Found::unused;
}

struct Library {
  Found found = Found::nothing;
  bool is_before_us = false;  // so that the program's calls go there
};

/// Of an MPI library; null in another object. Read from the object's own table: dlopen, which gives handles for dlsym,
/// would run constructors once more, now that destructors have run.
void* question_of(const cairn::LoadedObject& object) {
  void* found = nullptr;
  object.for_each_function([&](std::string_view name, void* function, std::size_t) {
    if (name == question) found = function;
  });
  return found;
}

Library look_into(const r_debug& space) {
  Library library;
  bool before_us = true;
  for (const link_map* map = space.r_map; map != nullptr; map = map->l_next) {
    const cairn::LoadedObject object(map);
    if (object.contains(&cairn_real_dlsym)) {  // our own stub
      before_us = false;
      continue;
    }
    void* const function = library.found == Found::used ? nullptr : question_of(object);
    if (function != nullptr) library = {ask(function), before_us};
  }
  return library;
}

bool used_in_another_namespace() {
  const auto* const first = static_cast<const r_debug_extended*>(cairn_real_dlsym(RTLD_DEFAULT, "_r_debug"));
  if (first == nullptr || first->base.r_version < 2) return false;
  for (const r_debug_extended* space = first->r_next; space != nullptr; space = space->r_next)
    if (look_into(space->base).found == Found::used) return true;
  return false;
}

/// The program file names the function and no library defines it.
bool is_linked_into_program() {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat facts {};
  if (file < 0 || fstat(file, &facts) != 0) return false;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const text = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (text == MAP_FAILED) return false;
  const bool named = memmem(text, size, question, std::strlen(question) + 1) != nullptr;
  munmap(text, size);
  return named;
}

}  // namespace

bool cairn_is_linked_too_late() {
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    const cairn::LoadedObject object(map);
    if (object.contains(&cairn_real_dlsym)) return false;
    if (question_of(object) != nullptr) return true;
  }
  return false;
}

UnseenMpi cairn_unseen_mpi() {
  cairn_find_dl_functions();
  if (used_in_another_namespace()) return {"in a namespace of its own (dlmopen)", "dlopen in place of dlmopen"};
  const auto [found, is_before_us] = look_into(_r_debug);
  if (found == Found::used && is_before_us)
    return {"linked before libcairn.so, and so called past it", "-lcairn before the MPI library, or 'cairn run'"};
  if (found == Found::used)
    return {"called past libcairn.so", "opening the library that calls it without RTLD_DEEPBIND"};
  if (found == Found::nothing && is_linked_into_program())
    return {"linked into the program", "linking it with a shared MPI library"};
  return {nullptr, nullptr};
}
