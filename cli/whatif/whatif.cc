// SPDX-License-Identifier: BSD-3-Clause
// whatif.cc - `cairn whatif`: the run time with a change, by replaying the calls that a run has left

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <regex>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "formats/ranks.hpp"
#include "trace/file.hpp"
#include "waits/cut.hpp"
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

using Visit = std::function<void(std::vector<waits::RankRecords>)>;

std::vector<std::string> graphs_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> graphs;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("waits.") && name.ends_with(".graph")) graphs.push_back(entry.path().string());
  }
  if (error) throw Problem("no run: '" + folder + "': " + error.message(), try_folder, "'" + folder + "'");
  return graphs;
}

void read(const std::string& graph, const Visit& visit) {
  const std::string damage = waits::read_graph(graph, visit);
  if (!damage.empty()) tell(Severity::warning, "'" + graph + "' is damaged: " + damage + "; the rest is used", {}, "");
}

/// What `waits` has left, of the whole run section by section, or of its ranks; else the run's trace.
void each_section(const std::string& folder, const Visit& visit) {
  bool is_any = false;
  const auto tell = [&](std::vector<waits::RankRecords> all) {
    std::erase_if(all, [](const auto& one) { return one.rank < 0 || one.calls.empty(); });
    if (all.empty()) return;
    is_any = true;
    visit(std::move(all));
  };
  const std::vector<std::string> graphs = graphs_in(folder);
  if (graphs.size() == 1) read(graphs.front(), tell);
  std::vector<waits::RankRecords> all;
  for (const std::string& graph : graphs)
    if (graphs.size() > 1)
      read(graph, [&](std::vector<waits::RankRecords> ranks) {
        for (waits::RankRecords& one : ranks)
          if (one.section == 0) all.push_back(std::move(one));
      });
  if (graphs.empty())
    for (const std::string& path : trace::files_in(folder + "/trace")) all.push_back(waits::reduce(trace::File(path)));
  tell(std::move(all));
  if (!is_any)
    throw Problem("the run of '" + folder + "' has left no calls to replay",
                  "a job that is started with 'cairn run --tools waits'", "'" + folder + "'");
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
  return pieces;
}

const waits::NamedChange* named(const std::string& change) {
  const auto found =
      std::ranges::find(waits::named_changes, change, [](const auto& one) { return std::string_view(one.name); });
  return found == waits::named_changes.end() ? nullptr : &*found;
}

/// Of a section; nothing: it has no such calls.
std::optional<waits::Prediction> predict(waits::Figures& section, const std::string& change) {
  if (const waits::NamedChange* const one = named(change)) {
    const waits::Prediction predicted = (section.predictions.*one->predict)();
    return std::isfinite(predicted.run_s) ? std::optional(predicted) : std::nullopt;
  }
  const Wanted wanted = wanted_of(change);
  const std::vector<waits::Piece> pieces = pieces_of(section, wanted);
  if (pieces.empty()) return std::nullopt;
  return section.predictions.scaled(pieces, wanted.ranks, wanted.factor);
}

[[noreturn]] void tell_unknown(const std::string& change) {
  if (named(change) != nullptr)
    throw Problem("what '" + change + "' would bring is not known: no such message of that run was waited for",
                  "another change", "");
  const Wanted wanted = wanted_of(change);
  throw Problem(fmt::format("no calls at {}:{}{}", wanted.file, wanted.from,
                            wanted.to == 0 ? "" : fmt::format(" and {}:{}", wanted.file, wanted.to)),
                "places that 'cairn report' shows", "");
}

/// What is not known of the run makes every prediction doubtful.
void tell_missing(const std::vector<int>& missing, bool is_cut, bool has_end) {
  if (!missing.empty())
    tell(Severity::warning,
         formats::named_ranks(missing) + " left no records: what others wait for them counts as transfer", {},
         "a job with the tool on all ranks");
  if (is_cut)
    tell(Severity::warning, "not all ranks' calls are known to the end: this is of the part before", {},
         "cairn run --tools waits=calls:1048576:memory:0 PROGRAM");
  if (!has_end)
    tell(Severity::warning, "waits.graph ends before the run: this is of the part before", {},
         "cairn run --tools waits=analysis:0 PROGRAM");
}

/// What is known of the sections so far, and what they would become.
struct Foreseen {
  waits::Earlier earlier;
  waits::RunTime run;
  double difference = 0;
  bool is_known = false;
  bool is_cut = false;
  bool is_at_end = true;
  std::vector<int> missing;

  void add(std::vector<waits::RankRecords> records, const std::string& change) {
    if (records.front().section == 0) missing = waits::ranks_without(records);
    for (const auto& one : records) is_cut = is_cut || one.cut != 0 || one.until != waits::no_end;
    is_at_end = records.front().is_last;
    waits::cut_alike(records);
    waits::Figures section(std::move(records), waits::naming_by(symbols()), std::move(earlier));
    run.add(section);
    if (const auto predicted = predict(section, change)) {
      difference += waits::difference(section, *predicted);
      is_known = true;
    }
    earlier = std::move(section).carry();
  }
};

int tell_whatif(const std::vector<std::string>& /*program*/) {
  if (options.change.empty()) {
    waits::Analysis analysis(waits::naming_by(symbols()));
    each_section(options.folder, [&](std::vector<waits::RankRecords> records) { analysis.add(std::move(records)); });
    std::fputs(waits::text_of(analysis.summary()).c_str(), stdout);
    return 0;
  }
  Foreseen foreseen;
  each_section(options.folder,
               [&](std::vector<waits::RankRecords> records) { foreseen.add(std::move(records), options.change); });
  if (!foreseen.is_known) tell_unknown(options.change);
  tell_missing(foreseen.missing, foreseen.is_cut, foreseen.is_at_end);
  const waits::Prediction predicted = foreseen.run.with(foreseen.difference);
  const double now = foreseen.run.seconds();
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
      .more =
          {{"EXAMPLES",
            "  mpirun -n 64 cairn run --tools waits --out results ./app\n"
            "  cairn whatif results\n"
            "  cairn whatif results 'heat.c:120..131 x 0.5'\n"
            "  cairn whatif results 'heat.c:120..131 x 0.5 on 3'\n"
            "  cairn whatif results ideal_network"},
           {"CHANGES",
            "  FILE:LINE..LINE x FACTOR: the work between the calls at these lines takes so much of its time.\n"
            "  FILE:LINE x FACTOR: the call itself, without its waiting.\n"
            "  Either with ' on RANKS' behind it: only there.\n"
            "  ideal_network, perfect_balance, eager_messages, free_collectives, expected_messages\n  (docs/waits.md)"},
           {"EXIT STATUS", "  0: predicted; 125: there are no calls, or the change means nothing in them."}},
      .add_options = add_options,
      .action = tell_whatif,
  };
}

}  // namespace cairn::cli
