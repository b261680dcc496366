// SPDX-License-Identifier: BSD-3-Clause
// first_command.cc - the command of the program `cairn`, which becomes `cairn-commands` for any other.

#include "cli/command.hpp"

namespace cairn::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {run_command()};
  return all;
}

extern constexpr bool are_some_commands = true;

}  // namespace cairn::cli
