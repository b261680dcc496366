// SPDX-License-Identifier: BSD-3-Clause
// module_copy.hpp - a private copy of a library in this process, with its own globals and its own name.
#pragma once

#include <string>
#include <string_view>

#include "loader/elf_file.hpp"

namespace cairn {

/// Loads an image as if it were a file of its own. Nothing is written to any disk. Throws Problem.
class ModuleCopy {
 public:
  /// `name` is shown in /proc/PID/maps and by debuggers.
  ModuleCopy(const ElfFile& image, const std::string& name);
  ~ModuleCopy();
  ModuleCopy(const ModuleCopy&) = delete;
  ModuleCopy& operator=(const ModuleCopy&) = delete;

  /// A path to open it by; good until the copy is destroyed, which the loaded library survives.
  const std::string& path() const { return path_; }

 private:
  int fd_ = -1;
  std::string path_;
};

/// A library name of the given length that no other library of this process has. Throws Problem below 4 characters.
std::string unique_library_name(std::size_t length);

}  // namespace cairn
