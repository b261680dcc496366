// SPDX-License-Identifier: BSD-3-Clause
// setting_check.hpp - whether settings make sense to an MPI library and the tools above it, found out before the
// program starts
#pragma once

#include <string>
#include <vector>

#include "cli/settings/setting.hpp"
#include "cli/settings/variable_list.hpp"

namespace cairn::cli {

struct CheckedSetting : Setting {
  bool after_init = false;  // written when MPI is up: a variable of a layer, or elements of an array
  std::string seen;         // the value as MPI_T shows it, elements with commas between them
};

/// The MPI that a command is to run with: a word of it that is a program linked with one, else the launcher around us,
/// else what the settings' names look like.
std::string mpi_for(const std::vector<std::string>& command, const std::vector<Setting>& settings);

/// The library is asked with the settings in force; values are then as it takes them (numbers for names or names
/// for numbers). `tools` as after --tools. Throws Problem for the first that is not taken, with the reason.
std::vector<CheckedSetting> check_settings(const std::vector<Setting>& settings, const std::string& mpi,
                                           const std::string& tools);

/// For one variable: throws Problem if `list`, made with the setting in force, says that it was not taken.
CheckedSetting check_setting(const Setting& setting, const Json& list);

}  // namespace cairn::cli
