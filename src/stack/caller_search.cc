// SPDX-License-Identifier: BSD-3-Clause
// caller_search.cc - the dynamic loader's own list of folders for the caller, tried in its order.

#include "stack/caller_search.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/program_path.hpp"
#include "base/text.hpp"
#include "loader/elf_file.hpp"
#include "loader/loaded_object.hpp"
#include "request/tool_file.hpp"

namespace cairn {

namespace {

using Dlopen = void*(const char*, int);

std::string path_of(const LoadedObject& object) {
  if (!object.path().empty()) return std::string(object.path());
  return program_path();
}

/// Folders in the order RPATH, LD_LIBRARY_PATH, RUNPATH, tokens put in; the system's come last and are left out.
std::vector<std::string> search_folders(Dlopen* open, const LoadedObject& object) {
  std::vector<std::string> folders;
  void* handle = open(object.path().empty() ? nullptr : path_of(object).c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return folders;
  Dl_serinfo head{};
  if (dlinfo(handle, RTLD_DI_SERINFOSIZE, &head) == 0) {
    std::vector<std::max_align_t> memory(head.dls_size / sizeof(std::max_align_t) + 1);
    auto* list = reinterpret_cast<Dl_serinfo*>(memory.data());
    list->dls_size = head.dls_size;
    list->dls_cnt = head.dls_cnt;
    if (dlinfo(handle, RTLD_DI_SERINFO, list) == 0)
      for (unsigned i = 0; i < list->dls_cnt; ++i) folders.emplace_back(list->dls_serpath[i].dls_name);
  }
  dlclose(handle);
  while (!folders.empty() &&
         std::ranges::find(system_library_folders(), folders.back()) != system_library_folders().end())
    folders.pop_back();
  return folders;
}

/// Below each folder, variants for better processors come first.
std::vector<std::string> variants(const std::string& folder) {
  std::vector<std::string> folders;
#if defined(__x86_64__)
  const std::string better = folder + "/glibc-hwcaps/x86-64-v";
  if (__builtin_cpu_supports("x86-64-v4") != 0) folders.push_back(better + "4");
  if (__builtin_cpu_supports("x86-64-v3") != 0) folders.push_back(better + "3");
  if (__builtin_cpu_supports("x86-64-v2") != 0) folders.push_back(better + "2");
#endif
  folders.push_back(folder);
  return folders;
}

/// The dynamic loader passes over a library for another machine and goes on searching.
bool is_for_this_machine(const std::string& path) {
  try {
    return ElfFile::read(path).for_this_machine();
  } catch (const ElfError& error) {
    return std::string_view(error.what()).find("another kind of machine") == std::string_view::npos;
  }
}

}  // namespace

std::string found_by_caller(Dlopen* open, const char* file, const void* caller) {
  const link_map* map = file == nullptr || *file == '\0' ? nullptr : object_at(caller);
  if (map == nullptr) return {};
  const LoadedObject object(map);
  if (const std::string_view name(file); name.find('/') != std::string_view::npos) {
    const auto expanded = own_library_folders({}, name, path_of(object));
    const bool expands = name.find("ORIGIN") != std::string_view::npos && expanded.size() == 1;
    return expands && std::filesystem::exists(expanded.front()) ? expanded.front() : std::string{};
  }
  if (object.rpath().empty() && object.runpath().empty()) return {};
  if (void* handle = open(file, RTLD_NOLOAD | RTLD_LAZY)) {
    dlclose(handle);
    return {};
  }
  for (const std::string& folder : search_folders(open, object))
    for (const std::string& variant : variants(folder))
      if (std::string path = variant + "/" + file; std::filesystem::exists(path) && is_for_this_machine(path))
        return path;
  return {};
}

}  // namespace cairn
