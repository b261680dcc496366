// SPDX-License-Identifier: BSD-3-Clause
// found_file.hpp - the stack file, also of a user who names none on the command line
#pragma once

#include <string>

namespace cairn::cli {

struct FoundFile {
  std::string path;
  std::string asked_by;  // "--stack tools.toml", "CAIRN_STACK=tools.toml"
};

/// CAIRN_STACK, then PNMPI_CONF, then .pnmpi-conf here or in the home folder; the last two only if no other setting asks
/// for tools. Empty if there is none.
FoundFile find_stack_file();

}  // namespace cairn::cli
