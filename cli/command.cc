// SPDX-License-Identifier: BSD-3-Clause
// command.cc - the list of commands.

#include "cli/command.hpp"

namespace cairn::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {run_command(),  check_command(), report_command(), advise_command(),
                                           tune_command(), tools_command(), vars_command()};
  return all;
}

}  // namespace cairn::cli
