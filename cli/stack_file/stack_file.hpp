// SPDX-License-Identifier: BSD-3-Clause
// stack_file.hpp - a stack written down in a TOML file, for stacks too long for a command line.
//
//   [[layer]]                      # outermost first
//   tool = "profile"               # as after --tools; a path is taken from the stack file's folder
//   options = { top = 5 }
//   ranks = "0-3,8"               # filters, as after an @ of --tools; several values as a list
//
//   [set]                          # control variables, as after --set
//   btl_vader_eager_limit = 65536
//   profile_top = { value = 3, ranks = "0" }
//
// A configuration file of PnMPI serves too (pnmpi_file.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/settings/setting.hpp"
#include "request/request.hpp"

namespace cairn::cli {

/// Tells the user of something in the file that is not done; the standard error stream does.
void warn_of_stack_file(const std::string& text);

/// Throws Problem with the line and column of what is wrong.
std::vector<LayerRequest> read_stack_file(const std::string& path,
                                          const std::function<void(const std::string&)>& warn = warn_of_stack_file);

/// The control variables that the file sets. Throws as above.
std::vector<Setting> read_stack_settings(const std::string& path);

}  // namespace cairn::cli
