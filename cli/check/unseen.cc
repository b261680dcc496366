// SPDX-License-Identifier: BSD-3-Clause
// unseen.cc - what the program leaves to its MPI library, without what has a stub in libcairn.so

#include "cli/check/unseen.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "loader/elf_file.hpp"

namespace cairn::cli {

namespace {

constexpr auto known_names = std::to_array<std::string_view>({
#define CAIRN_NAME(name) #name,
#include "generated/names.inc"
#undef CAIRN_NAME
});

}  // namespace

std::vector<std::string> unseen_functions(const std::string& program, const std::string& library) {
  std::vector<std::string> unseen;
  const ElfFile image = ElfFile::read(program);
  const ElfFile mpi = ElfFile::read(library);
  const std::vector<std::string_view> defined = mpi.defined_functions();
  for (const std::string_view name : image.undefined_symbols()) {
    const bool is_mpi = name.starts_with("MPI_") || name.starts_with("MPIX_");
    if (is_mpi && std::ranges::find(known_names, name) == known_names.end() &&
        std::ranges::find(defined, name) != defined.end())
      unseen.emplace_back(name);
  }
  return unseen;
}

}  // namespace cairn::cli
