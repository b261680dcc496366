// SPDX-License-Identifier: BSD-3-Clause
// module_copy.hpp - a private copy of a library in this process, with its own globals and its own name.
#pragma once

#include <string>
#include <string_view>

#include "loader/elf_file.hpp"

namespace cairn {

/// An image as a file of its own, in a temporary folder (private_files.hpp) or else in memory. Throws Problem.
class ModuleCopy {
 public:
  /// `name` is shown in /proc/PID/maps and by debuggers.
  ModuleCopy(ElfFile& image, const std::string& name);
  ~ModuleCopy();
  ModuleCopy(const ModuleCopy&) = delete;
  ModuleCopy& operator=(const ModuleCopy&) = delete;

  /// A path to open it by; good until the copy is destroyed, which the loaded library survives.
  const std::string& path() const { return path_; }

 private:
  bool write_file(const ElfFile& image, const std::string& name);
  void write_memory(ElfFile& image, const std::string& name);

  int fd_ = -1;  // of a file in memory
  std::string path_;
};

/// A library name of the given length that no other library of this process has. Throws Problem below 4 characters.
std::string unique_library_name(std::size_t length);

}  // namespace cairn
