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

struct TraceOptions {
  std::string folder;
  std::string ranks;
  std::string otf2;
  std::string perfetto;
  std::string replay;
  std::string pack;
  bool text = false;
};

TraceOptions trace_options;

/// An option that names what is written.
struct Target {
  const char* name;
  const char* type;
  std::string* value;
  const char* description;
  OptionEntry entry = {};
};

Target targets[] = {
    {"--otf2", "DIR", &trace_options.otf2, "Write all as an OTF2 archive in this new folder, for Vampir and others"},
    {"--perfetto", "FILE", &trace_options.perfetto,
     "Write all as JSON for Perfetto's and Chrome's viewers, '-' for the terminal"},
    {"--replay", "FILE", &trace_options.replay, "Write a C program that makes the same calls, '-' for the terminal"},
    {"--pack", "DIR", &trace_options.pack,
     "Write the run's folder again here, with what the ranks' traces have in common stored once"}};

void add_trace_options(OptionAdder& add) {
  add.option("folder", trace_options.folder, "The run's folder").type_name("DIR").required();
  add.flag("--text", trace_options.text, "List all calls, in the order of their times");
  for (Target& target : targets) {
    target.entry = add.option(target.name, *target.value, target.description);
    target.entry.type_name(target.type);
  }
  add.option("--ranks", trace_options.ranks, "Only these, such as 0-3,8; default: all").type_name("RANKS");
}

/// As a shell passes what a variable without a value names.
void check_targets() {
  for (const Target& target : targets)
    if (target.entry.given() && target.value->empty())
      throw Problem("no name is given", fmt::format("{} {}", target.name, target.type), target.name);
}

int show_trace(const std::vector<std::string>& /*program*/) {
  check_targets();
  RunTraces run = read_traces(trace_options.folder, trace_options.ranks);
  const bool is_summary = !trace_options.text && trace_options.otf2.empty() && trace_options.perfetto.empty() &&
                          trace_options.replay.empty() && trace_options.pack.empty();
  if (!is_summary) run.align();
  if (!trace_options.otf2.empty() || !trace_options.perfetto.empty()) {
    run.variables = read_variables(trace_options.folder, run.warnings);
    run.add_writing();
  }
  for (const Problem& warning : run.warnings) tell(Severity::warning, warning.what(), {}, warning.remedy);
  where::Places places(symbols());
  std::string told;
  if (!trace_options.otf2.empty()) {
    write_otf2(run, places, trace_options.otf2);
    told += trace_options.otf2 + "/traces.otf2\n";
  }
  if (!trace_options.pack.empty()) told += write_packed(run, trace_options.folder, trace_options.pack);
  if (!trace_options.perfetto.empty()) {
    write_perfetto(run, places, trace_options.perfetto);
    told += trace_options.perfetto + "\n";
  }
  if (!trace_options.replay.empty()) write_replay(run, trace_options.replay);
  if (trace_options.perfetto != "-" && trace_options.replay != "-")
    fmt::print("{}", told);  // else it would stand in these
  if (trace_options.text) list_records(run, places);
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
      .add_options = add_trace_options,
      .action = show_trace,
  };
}

}  // namespace cairn::cli
