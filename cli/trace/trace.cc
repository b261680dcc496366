// SPDX-License-Identifier: BSD-3-Clause
// trace.cc - `cairn trace`: what is in a run's trace, and the same in other formats.

#include <fmt/format.h>

#include <cstdio>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/trace/views.hpp"

namespace cairn::cli {

namespace {

struct Options {
  std::string folder;
  std::string ranks;
  std::string otf2;
  std::string perfetto;
  std::string replay;
  std::string pack;
  bool text = false;
};

Options options;

void add_options(OptionAdder& add) {
  add.option("folder", options.folder, "The run's folder").type_name("DIR").required();
  add.flag("--text", options.text, "List all calls, in the order of their times");
  add.option("--otf2", options.otf2, "Write all as an OTF2 archive in this new folder, for Vampir and others")
      .type_name("DIR");
  add.option("--perfetto", options.perfetto,
             "Write all as JSON for Perfetto's and Chrome's viewers, '-' for the terminal")
      .type_name("FILE");
  add.option("--replay", options.replay, "Write a C program that makes the same calls, '-' for the terminal")
      .type_name("FILE");
  add.option("--pack", options.pack,
             "Write the run's folder again here, with what the ranks' traces have in common stored once")
      .type_name("DIR");
  add.option("--ranks", options.ranks, "Only these, such as 0-3,8; default: all").type_name("RANKS");
}

int show(const std::vector<std::string>& /*program*/) {
  RunTraces run = read_traces(options.folder, options.ranks);
  const bool is_summary = !options.text && options.otf2.empty() && options.perfetto.empty() && options.replay.empty() &&
                          options.pack.empty();
  if (!is_summary) run.align();
  if (!options.otf2.empty() || !options.perfetto.empty()) {
    run.variables = read_variables(options.folder, run.warnings);
    run.add_writing();
  }
  for (const Problem& warning : run.warnings) tell(Severity::warning, warning.what(), {}, warning.remedy);
  where::Places places(symbols());
  std::string told;
  if (!options.otf2.empty()) {
    write_otf2(run, places, options.otf2);
    told += options.otf2 + "/traces.otf2\n";
  }
  if (!options.pack.empty()) told += write_packed(run, options.folder, options.pack);
  if (!options.perfetto.empty()) {
    write_perfetto(run, places, options.perfetto);
    told += options.perfetto + "\n";
  }
  if (!options.replay.empty()) write_replay(run, options.replay);
  if (options.perfetto != "-" && options.replay != "-") fmt::print("{}", told);  // else it would stand in these
  if (options.text) list_records(run, places);
  if (is_summary) fmt::print("{}", summary_text(run));
  std::fflush(stdout);
  for (const Problem& damage : run.damages()) tell(Severity::warning, damage.what());
  return 0;
}

}  // namespace

Command trace_command() {
  return {
      .name = "trace",
      .synopsis = "DIR [--text] [--otf2 DIR] [--perfetto FILE] [--replay FILE] [--pack DIR] [--ranks RANKS]",
      .summary = "Show what is in the trace of a run, or write it for other viewers",
      .more = {{"EXAMPLES",
                "  mpirun -n 4 cairn run --tools trace --out results ./app\n"
                "  cairn trace results\n"
                "  cairn trace results --text --ranks 0-1 | less\n"
                "  cairn trace results --otf2 archive\n"
                "  cairn trace results --perfetto trace.json\n"
                "  cairn trace results --replay replay.c\n"
                "  cairn trace results --pack packed"},
               {"OUTPUT",
                "  How many calls there are, what they take on disk, and a table by function. With --text a line for\n"
                "  each call: when it began, rank and thread, duration, arguments, and where it was called; below it\n"
                "  the requests that it completed and the message that it received.\n\n"
                "  With --replay a program in C that makes the same calls in the same order, with the same partners, "
                "tags,\n"
                "  communicators and sizes, and is busy for as long as the program worked between them.\n\n"
                "  With --pack the run's folder again, to keep in place of it: its traces take less room, and the file "
                "'common'\n"
                "  among them is part of each."}},
      .add_options = add_options,
      .action = show,
  };
}

}  // namespace cairn::cli
