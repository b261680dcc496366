// SPDX-License-Identifier: BSD-3-Clause
// all_commands.cc - the commands of the program `cairn-commands`.

#include "cli/command.hpp"

namespace cairn::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {run_command(),    check_command(), report_command(), advise_command(),
                                           tune_command(),   place_command(), tools_command(),  trace_command(),
                                           vars_command(),   where_command(), live_command(),   whatif_command(),
                                           add_mpi_command()};
  return all;
}

extern constexpr bool are_some_commands = false;

}  // namespace cairn::cli
