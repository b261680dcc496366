// SPDX-License-Identifier: BSD-3-Clause
// found_file.cc - where PnMPI and Cairn look for what describes a stack

#include "cli/stack_file/found_file.hpp"

#include <unistd.h>

#include "base/tool_settings.hpp"

namespace cairn::cli {

FoundFile find_stack_file() {
  if (const std::string file = environment(stack_setting); !file.empty())
    return {file, std::string(stack_setting) + "=" + file};
  if (*users_tools() != '\0') return {};
  if (const std::string file = environment("PNMPI_CONF"); !file.empty()) return {file, "PNMPI_CONF=" + file};
  const std::string home = environment("HOME");
  for (const std::string& file : {std::string(".pnmpi-conf"), home.empty() ? "" : home + "/.pnmpi-conf"})
    if (!file.empty() && access(file.c_str(), R_OK) == 0) return {file, file};
  return {};
}

}  // namespace cairn::cli
