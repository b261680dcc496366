// SPDX-License-Identifier: BSD-3-Clause
// variable_query.hpp - asking an MPI library, and the tools above it, what they offer by MPI_T
//
// A small program that is linked with the MPI asks (tools/vars/lists.cc): the command itself links none.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/settings/variable_list.hpp"

namespace cairn::cli {

/// The MPI that a program is linked with, by MpiFamily::id. Throws Problem.
std::string mpi_of_program(const std::string& name);

/// What the launcher around us belongs to, or "".
std::string mpi_of_launcher();

/// The only MPI that can be asked. Throws Problem where there are several.
std::string only_mpi();

struct VariableQuestion {
  std::string mpi;                                                    // MpiFamily::id
  std::string tools = {};                                             // as after --tools
  bool before_init = false;                                           // MPI is not started
  std::vector<std::pair<std::string, std::string>> environment = {};  // set for the MPI that is asked
  bool quiet = false;                                                 // what the library says meanwhile is dropped
};

/// The document "cairn-variables 1". Throws Problem.
Json ask_variables(const VariableQuestion& question);

}  // namespace cairn::cli
