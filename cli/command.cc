// SPDX-License-Identifier: BSD-3-Clause
// command.cc - the list of commands.

#include "cli/command.hpp"

#include <unistd.h>

#include "base/job.hpp"
#include "base/message.hpp"

namespace cairn::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {run_command(),    check_command(), report_command(), advise_command(),
                                           tune_command(),   place_command(), tools_command(),  trace_command(),
                                           vars_command(),   where_command(), live_command(),   whatif_command(),
                                           add_mpi_command()};
  return all;
}

void tell_last(const std::string& text, const std::string& asked_by, const std::string& remedy) {
  if (speaks_for_job()) tell(Severity::error, text, asked_by, remedy);
  else sleep(1);
}

}  // namespace cairn::cli
