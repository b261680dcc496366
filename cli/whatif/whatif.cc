// SPDX-License-Identifier: BSD-3-Clause
// whatif.cc - `cairn whatif`: the run time with a change, by replaying the calls that a run has left

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <regex>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "formats/ranks.hpp"
#include "trace/file.hpp"
#include "waits/figures.hpp"
#include "waits/packing.hpp"
#include "waits/reduce.hpp"
#include "waits/wording.hpp"

namespace cairn::cli {

namespace {

struct Options {
  std::string folder;
  std::string change;
};

Options options;

void add_options(OptionAdder& add) {
  add.option("run", options.folder, "The run's folder").type_name("RUN").required();
  add.option("change", options.change, "What is different; default: nothing, and the analysis is shown")
      .type_name("CHANGE");
}

/// What `waits` has left, of the whole run or of its ranks; else the run's trace.
std::vector<waits::RankRecords> records_of(const std::string& folder) {
  std::vector<waits::RankRecords> all;
  std::error_code error;
  std::vector<std::string> graphs;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("waits.") && name.ends_with(".graph")) graphs.push_back(entry.path().string());
  }
  if (error) throw Problem("no run: '" + folder + "': " + error.message(), try_folder, "'" + folder + "'");
  for (const std::string& graph : graphs) {
    std::string damage;
    for (waits::RankRecords& one : waits::read_graph(graph, damage)) all.push_back(std::move(one));
    if (!damage.empty())
      tell(Severity::warning, "'" + graph + "' is damaged: " + damage + "; the rest is used", {}, "");
  }
  if (all.empty())
    for (const std::string& path : trace::files_in(folder + "/trace")) all.push_back(waits::reduce(trace::File(path)));
  std::erase_if(all, [](const auto& one) { return one.rank < 0 || one.calls.empty(); });
  if (all.empty())
    throw Problem("the run of '" + folder + "' has left no calls to replay",
                  "a job that is started with 'cairn run --tools waits'", "'" + folder + "'");
  return all;
}

/// "heat.c:120..131 x 0.5 on 3"
struct Wanted {
  std::string file;
  int from = 0;
  int to = 0;  // 0: the call at `from` itself
  double factor = 1;
  std::vector<int> ranks;  // empty: all
};

std::string names_of_changes() {
  std::string text;
  for (const waits::NamedChange& one : waits::named_changes) text += (text.empty() ? "" : ", ") + std::string(one.name);
  return text;
}

[[noreturn]] void refuse(const std::string& change) {
  throw Problem(
      "no change: '" + change + "' cannot be understood",
      "'heat.c:120..131 x 0.5' (work between two calls), 'heat.c:120 x 0' (a call), either with ' on 0-3' for some "
      "ranks; " +
          names_of_changes());
}

Wanted wanted_of(const std::string& change) {
  static const std::regex form(R"(([^ ]+):(\d{1,9})(?:\.\.(\d{1,9}))? *x *([0-9.]{1,20})(?: +on +([0-9,:-]+))?)");
  std::smatch found;
  if (!std::regex_match(change, found, form)) refuse(change);
  Wanted wanted{found[1], std::stoi(found[2]), found[3].matched ? std::stoi(found[3]) : 0, 1, {}};
  const std::string factor = found[4];
  const auto read = std::from_chars(factor.data(), factor.data() + factor.size(), wanted.factor);
  if (read.ec != std::errc() || read.ptr != factor.data() + factor.size()) refuse(change);
  if (found[5].matched) wanted.ranks = formats::ranks_of(found[5].str(), 1 << 24);
  return wanted;
}

std::vector<waits::Piece> pieces_of(const waits::Figures& figures, const Wanted& wanted) {
  const auto is_at = [&](waits::Index site, int line) {
    const auto& place = figures.places[site].at;
    return place.line == line && (place.file == wanted.file || file_of(place.file) == wanted.file);
  };
  std::vector<waits::Piece> pieces;
  for (waits::Index from = 0; from < figures.places.size(); ++from) {
    if (!is_at(from, wanted.from)) continue;
    if (wanted.to == 0) pieces.push_back({from, waits::none});
    for (waits::Index to = 0; wanted.to != 0 && to < figures.places.size(); ++to)
      if (is_at(to, wanted.to)) pieces.push_back({from, to});
  }
  if (pieces.empty())
    throw Problem(fmt::format("no calls at {}:{}{}", wanted.file, wanted.from,
                              wanted.to == 0 ? "" : fmt::format(" and {}:{}", wanted.file, wanted.to)),
                  "places that 'cairn report' shows", "");
  return pieces;
}

waits::Prediction predict(waits::Figures& figures, const std::string& change) {
  for (const waits::NamedChange& one : waits::named_changes)
    if (change == one.name) return (figures.predictions.*one.predict)();
  const Wanted wanted = wanted_of(change);
  return figures.predictions.scaled(pieces_of(figures, wanted), wanted.ranks, wanted.factor);
}

int tell_whatif(const std::vector<std::string>& /*program*/) {
  if (options.change.empty()) {
    std::fputs(waits::text_of(waits::summarize(records_of(options.folder), waits::naming_by(symbols()))).c_str(),
               stdout);
    return 0;
  }
  waits::Figures figures(records_of(options.folder), waits::naming_by(symbols()));
  const waits::Prediction predicted = predict(figures, options.change);
  const double now = figures.graph.run_s();
  fmt::print("{}: {:.3f} s instead of {:.3f} s ({:+.1f} %), error {:.3f} s\n", options.change, predicted.run_s, now,
             now > 0 ? 100 * (predicted.run_s - now) / now : 0, predicted.error_s);
  return 0;
}

}  // namespace

Command whatif_command() {
  return {
      .name = "whatif",
      .synopsis = "RUN [CHANGE]",
      .summary = "Predict the run time with a change, from the calls that 'waits' or 'trace' have kept",
      .more = {{"EXAMPLES",
                "  mpirun -n 64 cairn run --tools waits --out results ./app\n"
                "  cairn whatif results\n"
                "  cairn whatif results 'heat.c:120..131 x 0.5'\n"
                "  cairn whatif results 'heat.c:120..131 x 0.5 on 3'\n"
                "  cairn whatif results ideal_network"},
               {"CHANGES",
                "  FILE:LINE..LINE x FACTOR: the work between the calls at these lines takes so much of its time.\n"
                "  FILE:LINE x FACTOR: the call itself, without its waiting.\n"
                "  Either with ' on RANKS' behind it: only there.\n"
                "  ideal_network, perfect_balance, eager_messages, free_collectives (docs/waits.md)"},
               {"EXIT STATUS", "  0: predicted; 125: there are no calls, or the change means nothing in them."}},
      .add_options = add_options,
      .action = tell_whatif,
  };
}

}  // namespace cairn::cli
