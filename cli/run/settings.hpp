// SPDX-License-Identifier: BSD-3-Clause
// settings.hpp - the control variables that one `cairn run` sets, and how they reach the program
#pragma once

#include <string>
#include <vector>

#include "cli/settings/setting_check.hpp"
#include "cli/stack_file/found_file.hpp"
#include "request/request.hpp"

namespace cairn::cli {

/// Those of the command line (`given`) and, of the stack file, what the command line leaves open; checked. `program` is
/// a path, `layers` are those above the MPI library. Throws Problem.
std::vector<CheckedSetting> settings_of_run(const std::vector<std::string>& given, const FoundFile& stack_file,
                                            const std::string& program, const std::vector<LayerRequest>& layers);

/// What the library reads before it starts, for a rank of the job; -1 where no launcher says which.
void set_for_library(const std::vector<CheckedSetting>& settings, long rank);

/// The layer that does the rest on that rank (tools/set).
LayerRequest setting_layer(const std::vector<CheckedSetting>& settings, long rank);

}  // namespace cairn::cli
