// SPDX-License-Identifier: BSD-3-Clause
// loaded_mpi.cc - recognising the MPI library among the loaded objects.

#include "request/loaded_mpi.hpp"

#include <link.h>

#include <vector>

#include "loader/loaded_object.hpp"

namespace cairn {

const MpiFamily* find_loaded_mpi() {
  const MpiFamily* found = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
        const LoadedObject object(*info);
        for (const MpiFamily& family : mpi_families()) {
          if (!family.is_library(object.soname()) && !family.is_library(object.file_name())) continue;
          *static_cast<const MpiFamily**>(data) = &family;
          return 1;
        }
        return 0;
      },
      static_cast<void*>(&found));
  return found;
}

std::string describe_mpi(const MpiFamily& family, void* get_library_version) {
  std::string description(family.name);
  if (get_library_version == nullptr) return description;
  std::vector<char> text(
      8193);  // MPI_MAX_LIBRARY_VERSION_STRING is 256 in Open MPI, 8192 in MPICH and the standard ABI
  int length = 0;
  if (reinterpret_cast<int (*)(char*, int*)>(get_library_version)(text.data(), &length) != 0) return description;
  const std::string_view words(text.data());
  const auto digit = words.find_first_of("0123456789");
  if (digit == std::string_view::npos) return description;
  return description + " " +
         std::string(words.substr(digit, words.find_first_not_of("0123456789.abrc", digit) - digit));
}

}  // namespace cairn
