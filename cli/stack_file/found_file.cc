// SPDX-License-Identifier: BSD-3-Clause
// found_file.cc - where PnMPI and Cairn look for what describes a stack

#include "cli/stack_file/found_file.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/tool_settings.hpp"

namespace cairn::cli {

namespace {

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool asks_for_tools() {
  for (const char* const name : tool_settings)
    if (!setting(name).empty()) return true;
  return false;
}

}  // namespace

FoundFile find_stack_file() {
  if (const std::string file = setting(stack_setting); !file.empty())
    return {file, std::string(stack_setting) + "=" + file};
  if (asks_for_tools()) return {};
  if (const std::string file = setting("PNMPI_CONF"); !file.empty()) return {file, "PNMPI_CONF=" + file};
  const std::string home = setting("HOME");
  for (const std::string& file : {std::string(".pnmpi-conf"), home.empty() ? "" : home + "/.pnmpi-conf"})
    if (!file.empty() && access(file.c_str(), R_OK) == 0) return {file, file};
  return {};
}

}  // namespace cairn::cli
