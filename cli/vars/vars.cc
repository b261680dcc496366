// SPDX-License-Identifier: BSD-3-Clause
// vars.cc - `cairn vars`: what an MPI library and the tools above it offer by MPI_T. A program linked with that MPI
// asks.

#include <fmt/format.h>

#include "base/job.hpp"
#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/settings/variable_list.hpp"
#include "cli/settings/variable_query.hpp"

namespace cairn::cli {

namespace {

struct VarsOptions {
  std::vector<std::string> patterns;
  std::string mpi;
  std::string tools;
  std::string json;
  std::string from;
  std::string diff;
  bool before_init = false;
  bool details = false;
};

VarsOptions vars_options;

void add_vars_options(OptionAdder& add) {
  add.option("pattern", vars_options.patterns, "Names to show, with *, ? and [...]; default: all").type_name("PATTERN");
  add.option("--mpi", vars_options.mpi,
             "The MPI library to query: openmpi, mpich or abi; default: the program's or the launcher's")
      .type_name("MPI");
  add.option("--tools", vars_options.tools, "Tools whose variables are listed too, as with 'cairn run'")
      .type_name("LIST");
  add.flag("--before-init", vars_options.before_init, "Query before MPI_Init instead of after it");
  add.flag("--details", vars_options.details, "Show all details of each entry instead of one line");
  add.option("--json", vars_options.json, "Write the list as JSON instead; '-': to standard output").type_name("FILE");
  add.option("--from", vars_options.from, "Read a list written by --json instead of querying an MPI library")
      .type_name("FILE");
  add.option("--diff", vars_options.diff, "Show the changes since a list written by --json").type_name("FILE");
}

std::string chosen_mpi(const std::vector<std::string>& program) {
  if (!program.empty()) return mpi_of_program(program.front());
  if (!vars_options.mpi.empty()) return vars_options.mpi;
  const std::string of_launcher = mpi_of_launcher();
  return of_launcher.empty() ? only_mpi() : of_launcher;
}

/// As JSON or as text, wherever it is wanted.
void put_out(const Json& json, const std::string& text) {
  if (vars_options.json.empty()) fmt::print("{}", text);
  else write_output(vars_options.json, json.dump(2) + "\n", "--json " + vars_options.json);
}

int list_variables(const std::vector<std::string>& program) {
  Json list = vars_options.from.empty()
                  ? ask_variables({chosen_mpi(program), vars_options.tools, vars_options.before_init})
                  : read_variable_list(vars_options.from, "--from");
  if (!speaks_for_job()) return 0;
  const std::string nothing = why_no_performance_variables(list);
  keep_matching(list, vars_options.patterns);
  if (vars_options.diff.empty()) {
    const bool is_asked = vars_options.patterns.empty() || list["control_variables"].empty();
    const std::string remark = nothing.empty() || !is_asked ? "" : "\n" + nothing + "\n";
    put_out(list, variable_text(list, vars_options.details) + remark);
    return 0;
  }
  Json before = read_variable_list(vars_options.diff, "--diff");
  keep_matching(before, vars_options.patterns);
  const Json difference = compare_variables(before, list);
  put_out(difference, difference_text(difference));
  return 0;
}

}  // namespace

Command vars_command() {
  return {
      .name = "vars",
      .synopsis =
          "[PATTERN...] [--mpi MPI] [--tools LIST] [--before-init] [--details] [--json FILE] [--from FILE] "
          "[--diff FILE] [-- PROGRAM]",
      .summary = "List the variables that an MPI library and tools offer through MPI_T",
      .more =
          {{"EXAMPLES",
            "  mpirun -n 1 cairn vars 'coll_tuned_*'\n"
            "  mpirun -n 1 cairn vars --tools profile 'profile_*' -- ./app\n"
            "  cairn vars --mpi openmpi --before-init --json before.json\n"
            "  cairn vars --mpi openmpi --diff before.json\n"
            "  cairn vars --from mpich.json --diff openmpi.json '*allreduce*'"},
           {"OUTPUT",
            "  Control and performance variables with type, scope or class, binding, verbosity and value; categories,\n"
            "  events, enumerations; and what the library gets wrong. Of variables that are bound to a communicator\n"
            "  the value is that of MPI_COMM_WORLD. A value that cannot be read without a crash is reported as a "
            "defect."}},
      .add_options = add_vars_options,
      .action = list_variables,
      .names_program = true,
  };
}

}  // namespace cairn::cli
