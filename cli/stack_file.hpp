// SPDX-License-Identifier: BSD-3-Clause
// stack_file.hpp - a stack written down in a TOML file, for stacks too long for a command line.
//
//   [[layer]]                      # outermost first
//   tool = "profile"               # as after --tools; a path is taken from the stack file's folder
//   options = { top = 5 }
#pragma once

#include <string>
#include <vector>

#include "stack/request.hpp"

namespace cairn::cli {

/// Throws Problem with the line and column of what is wrong.
std::vector<LayerRequest> read_stack_file(const std::string& path);

}  // namespace cairn::cli
