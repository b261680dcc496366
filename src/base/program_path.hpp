// SPDX-License-Identifier: BSD-3-Clause
// program_path.hpp - which program this process runs.
#pragma once

#include <errno.h>

#include <filesystem>
#include <string>

#include "base/own_files.hpp"

namespace cairn {

/// Its file; where the system does not tell (no /proc), the name it was started with.
inline std::string program_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink(own_file("exe"), error);
  return error ? std::string(program_invocation_name) : path.string();
}

}  // namespace cairn
