// SPDX-License-Identifier: BSD-3-Clause
// unseen_calls.cc - what the program and its libraries import

#include "unseen_calls.hpp"

#include <link.h>

#include <algorithm>
#include <array>

#include "loader/loaded_object.hpp"

namespace reorder {

namespace {

/// In Fortran, in any binding: mpi_comm_set_attr_, mpi_attr_put_, mpi_comm_create_keyval_f08_, …
bool sets_attributes_in_fortran(std::string_view import) {
  static constexpr std::array<std::string_view, 4> parts = {"mpi_comm_set_attr", "mpi_attr_put",
                                                            "mpi_comm_create_keyval", "mpi_keyval_create"};
  return std::ranges::any_of(parts, [&](std::string_view part) { return import.find(part) != import.npos; });
}

struct Search {
  std::span<const char* const> functions;
  const cairn::Callers& callers;
  std::string found{};

  void look_at(const dl_phdr_info& info) {
    const cairn::LoadedObject object(info);
    if (!found.empty() || !callers.is_program(reinterpret_cast<const void*>(object.begin()))) return;
    object.any_import([&](std::string_view name) {
      if (found.empty() && is_unseen(name, functions)) found = name;
      return !found.empty();
    });
  }
};

}  // namespace

bool is_unseen(std::string_view import, std::span<const char* const> functions) {
  if (sets_attributes_in_fortran(import)) return true;
  if (!import.starts_with("PMPI")) return false;
  import.remove_prefix(1);
  return std::ranges::find(functions, import, [](const char* name) { return std::string_view(name); }) !=
         functions.end();
}

std::string find_unseen_call(std::span<const char* const> functions, const cairn::Callers& callers) {
  Search search{functions, callers};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        static_cast<Search*>(data)->look_at(*info);
        return 0;
      },
      &search);
  return search.found;
}

}  // namespace reorder
