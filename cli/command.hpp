// SPDX-License-Identifier: BSD-3-Clause
// command.hpp - what every command of `cairn` is made of: its options, its help, its manual page, its action.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.hpp"

namespace cairn::cli {

/// Cairn's own failures, out of the way of programs' exit codes as with env(1) and timeout(1).
inline constexpr int exit_failure = 125;
inline constexpr int exit_cannot_run = 126;
inline constexpr int exit_not_found = 127;

/// Where to read on; in the help and in the manual page.
inline constexpr std::string_view guide =
    "User's guide: docs/guide.md in Cairn's sources, share/doc/cairn/docs/guide.md in an installation.";

/// What to try where a run's folder is missing or is none.
inline constexpr const char* try_folder =
    "the folder that 'cairn run' wrote: that of --out, or cairn-PROGRAM-DATE-TIME";

struct Command {
  std::string name;
  std::string synopsis;                                   // after "cairn NAME"
  std::string summary;                                    // one line
  std::vector<std::pair<std::string, std::string>> more;  // headings and paragraphs: EXAMPLES, EXIT STATUS, …
  std::function<void(OptionAdder&)> add_options;
  std::function<int(const std::vector<std::string>& program)> action;
  bool runs_program = false;   // the words after the options are another program's command line
  bool names_program = false;  // the same, but only behind "--"
};

/// Those of this program, in the order in which the help lists them. `cairn` itself has 'run' alone, which stands before
/// every rank of a job; all are in the program `cairn-commands` beside Cairn's libraries.
const std::vector<Command>& commands();
/// Whether another program has the others.
extern const bool are_some_commands;

Command add_mpi_command();
Command advise_command();
Command run_command();
Command check_command();
Command live_command();
Command place_command();
Command report_command();
Command tools_command();
Command trace_command();
Command tune_command();
Command vars_command();
Command whatif_command();
Command where_command();

/// The manual page "cairn" or "cairn-NAME" in roff; empty if there is none.
std::string manual_page(const std::string& page);

/// "cairn, cairn-run, …"
std::string manual_page_names();

/// The completion script for "bash", "zsh" or "fish". Throws Problem for another.
std::string completion(const std::string& shell);

/// Reports the error that ends this rank, once for all ranks that meet it (base/last_words.hpp).
void tell_last(const std::string& text, const std::string& asked_by = {}, const std::string& remedy = {});

}  // namespace cairn::cli
