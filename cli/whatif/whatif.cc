// SPDX-License-Identifier: BSD-3-Clause
// whatif.cc - `cairn whatif`: the run time with a change, by replaying the calls that a run has left

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <regex>
#include <thread>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/whatif/calls_left.hpp"
#include "formats/ranks.hpp"
#include "waits/cut.hpp"
#include "waits/figures.hpp"
#include "waits/wording.hpp"

namespace cairn::cli {

namespace {

struct WhatifOptions {
  std::string folder;
  std::string change;
};

WhatifOptions whatif_options;

void add_whatif_options(OptionAdder& add) {
  add.option("run", whatif_options.folder, "The run's folder").type_name("RUN").required();
  add.option("change", whatif_options.change, "What is different; default: nothing, and the analysis is shown")
      .type_name("CHANGE");
}

/// What `waits` has left, or the run's trace.
void visit_calls(const SectionVisit& visit) {
  const auto warn = [](const Problem& problem) { tell(Severity::warning, problem.what(), {}, problem.remedy); };
  if (!each_section(whatif_options.folder, visit, warn))
    throw Problem("the run of '" + whatif_options.folder + "' left no calls to replay",
                  "a job started with 'cairn run --tools waits'", "'" + whatif_options.folder + "'");
}

/// "heat.c:120..131 x 0.5 on 3", "heat.c:120..131 as others", "heat.c:120..131 sent first", "heat.c:120..131 evenly",
/// "heat.c:120 free", "heat.c:120 eager"
struct Wanted {
  enum class What { scaled, as_others, sent_first, evenly, free, eager };
  What what{};
  std::string file;
  int from = 0;
  int to = 0;  // 0: the call at `from` itself
  double factor = 1;
  std::vector<int> ranks;  // empty: all; as the others: those with more than the mean
};

constexpr std::size_t longest_change = 2000;  // the library's matcher takes stack for each character
constexpr double most_factor = 10'000;        // so that no sum of times overflows

std::string names_of_changes() {
  std::string text;
  for (const waits::NamedChange& one : waits::named_changes) text += (text.empty() ? "" : ", ") + std::string(one.name);
  return text;
}

[[noreturn]] void refuse(const std::string& change) {
  throw Problem(
      "the change '" + change + "' cannot be understood",
      "'heat.c:120..131 x 0.5', 'heat.c:120..131 as others' or 'heat.c:120..131 sent first' (work between two "
      "calls), 'heat.c:120 x 0' (a call), these with ' on 0-3' for some ranks; 'heat.c:120..131 evenly'; "
      "'heat.c:120 free', 'heat.c:120 eager' (calls there); " +
          names_of_changes());
}

/// `size`: of the run.
std::vector<int> wanted_ranks(const std::string& text, int size, const std::string& change) {
  const std::optional<std::vector<int>> ranks = formats::given_ranks(text, size);
  if (!ranks)
    throw Problem(fmt::format("'{}' is not a list of the run's ranks, of which there are {}", text, size),
                  "ranks such as 0-3 or 0,5, from 0 on", "'" + change + "'");
  return *ranks;
}

Wanted wanted_of(const std::string& change, int size) {
  static const std::regex form(
      R"(([^ ]+):(\d{1,9})(?:\.\.(\d{1,9}))? *(?:x *([0-9.]{1,20})|(as +others)|(sent +first)|(evenly)|(free)|(eager))(?: +on +([0-9,:-]+))?)");
  std::smatch found;
  if (change.size() > longest_change || !std::regex_match(change, found, form)) refuse(change);
  using enum Wanted::What;
  constexpr std::array words = {as_others, sent_first, evenly, free, eager};  // groups of the form, from the fifth on
  Wanted::What what = scaled;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (found[5 + i].matched) what = words[i];
  Wanted wanted{what, found[1], std::stoi(found[2]), found[3].matched ? std::stoi(found[3]) : 0, 1, {}};
  if (wanted.from == 0 || (found[3].matched && wanted.to == 0)) refuse(change);
  const bool has_ranks = found[10].matched;
  if (has_ranks && what != scaled && what != as_others && what != sent_first) refuse(change);
  if ((what == evenly || what == sent_first) && wanted.to == 0) refuse(change);
  if ((what == free || what == eager) && wanted.to != 0) refuse(change);
  const std::string factor = found[4];
  const auto read = std::from_chars(factor.data(), factor.data() + factor.size(), wanted.factor);
  if (what == scaled && (read.ec != std::errc() || read.ptr != factor.data() + factor.size())) refuse(change);
  if (wanted.factor > most_factor)
    throw Problem("the factor " + factor + " is too large", fmt::format("at most {}", most_factor), "'" + change + "'");
  if (has_ranks) wanted.ranks = wanted_ranks(found[10].str(), size, change);
  return wanted;
}

bool is_at(const waits::Figures& figures, const Wanted& wanted, waits::Index site, int line) {
  const auto& place = figures.places[site].at;
  return place.line == line && (place.file == wanted.file || file_of(place.file) == wanted.file);
}

/// Those of the section that are meant.
waits::Pieces pieces_of(const waits::Figures& figures, const Wanted& wanted) {
  waits::Pieces pieces;
  for (waits::Index from = 0; from < figures.places.size(); ++from) {
    if (!is_at(figures, wanted, from, wanted.from)) continue;
    if (wanted.to == 0) pieces.insert({from, waits::none});
    for (waits::Index to = 0; wanted.to != 0 && to < figures.places.size(); ++to)
      if (is_at(figures, wanted, to, wanted.to)) pieces.insert({from, to});
  }
  return pieces;
}

/// By site: whether any of these ranks, or of all, calls there, or with `sends` sends there.
std::vector<bool> sites_used(const waits::Graph& graph, const std::vector<int>& ranks, bool sends) {
  const std::vector<bool> is_of = waits::marked_ranks(ranks, graph.size);
  std::vector<bool> sites(graph.sites.size());
  const auto use = [&](waits::Index call) {
    if (is_of[static_cast<std::size_t>(graph.rank(call))]) sites[graph.nodes[call].site] = true;
  };
  for (const waits::Link& link : graph.links)
    if (sends && link.signal == waits::Signal::message && link.send_begin != waits::none) use(link.send_begin);
  for (waits::Index call = 0; !sends && call < graph.nodes.size(); ++call) use(call);
  return sites;
}

/// Leaves out what none of those ranks does there.
void keep_done(waits::Pieces& pieces, const waits::Figures& section, const Wanted& wanted) {
  if (pieces.empty()) return;
  const std::vector<bool> sites = sites_used(section.graph, wanted.ranks, wanted.what == Wanted::What::eager);
  const auto works = [&](waits::Piece piece) {
    const auto has_it = [&](int rank) { return section.work.of(piece, rank) > 0; };
    return wanted.ranks.empty() ? section.work.ranks_with(piece) > 0 : std::ranges::any_of(wanted.ranks, has_it);
  };
  std::erase_if(pieces,
                [&](waits::Piece piece) { return piece.to == waits::none ? !sites[piece.from] : !works(piece); });
}

/// Those that have more of it than the mean rank.
std::vector<int> ranks_above_mean(const waits::Figures& section, const waits::Pieces& pieces) {
  const double mean = section.work.mean_of_others(pieces, {});
  std::vector<int> ranks;
  for (int rank = 0; rank < static_cast<int>(section.work.by_rank().size()); ++rank)
    if (section.work.of(pieces, rank) > mean) ranks.push_back(rank);
  return ranks;
}

/// Nothing: it changes nothing there.
std::optional<waits::Change> change_of(const waits::Figures& section, const Wanted& wanted,
                                       const waits::Pieces& pieces) {
  std::vector<bool> sites(section.graph.sites.size());
  for (const waits::Piece& piece : pieces) sites[piece.from] = true;
  switch (wanted.what) {
    case Wanted::What::as_others:
      return section.changes.as_the_others(pieces,
                                           wanted.ranks.empty() ? ranks_above_mean(section, pieces) : wanted.ranks);
    case Wanted::What::sent_first:
      return section.changes.sent_first(pieces, wanted.ranks);
    case Wanted::What::evenly:
      return section.changes.evenly(pieces);
    case Wanted::What::free:
      return section.changes.free_calls(sites);
    case Wanted::What::eager:
      return section.changes.eager(std::move(sites));
    default:
      return section.changes.scaled(pieces, wanted.ranks, wanted.factor);
  }
}

const waits::NamedChange* named(const std::string& change) {
  const auto found =
      std::ranges::find(waits::named_changes, change, [](const auto& one) { return std::string_view(one.name); });
  return found == waits::named_changes.end() ? nullptr : &*found;
}

/// Of a section; nothing: it has no such calls. `size`: of the run.
std::optional<waits::Change> change_of(const waits::Figures& section, const std::string& change, int size) {
  if (const waits::NamedChange* const one = named(change)) return one->of(section.changes);
  const Wanted wanted = wanted_of(change, size);
  waits::Pieces pieces = pieces_of(section, wanted);
  keep_done(pieces, section, wanted);
  if (pieces.empty()) return std::nullopt;
  return change_of(section, wanted, pieces);
}

[[noreturn]] void tell_unknown(const std::string& change, int size) {
  if (named(change) != nullptr)
    throw Problem("what '" + change + "' would bring is not known: no such message of that run was waited for",
                  "another change", "");
  const Wanted wanted = wanted_of(change, size);
  if (wanted.what == Wanted::What::sent_first)
    throw Problem(fmt::format("nothing is sent at {0}:{1} right after work that begins at {0}:{2}", wanted.file,
                              wanted.to, wanted.from),
                  "work before a send, as 'cairn report' shows it", "");
  const std::string what = wanted.to != 0                       ? "work between calls"
                           : wanted.what == Wanted::What::eager ? "matched sends"
                                                                : "calls";
  throw Problem(fmt::format("no {} at {}:{}{}{}", what, wanted.file, wanted.from,
                            wanted.to == 0 ? "" : fmt::format(" and {}:{}", wanted.file, wanted.to),
                            wanted.ranks.empty() ? "" : " on " + formats::named_ranks(wanted.ranks)),
                "places that 'cairn report' shows", "");
}

/// What is not known of the run makes every prediction doubtful.
void tell_missing(const std::vector<int>& missing, bool is_cut, bool has_end) {
  if (!missing.empty())
    tell(Severity::warning,
         formats::named_ranks(missing) + " left no records: how much of the calls that need them is waiting is unknown",
         {}, "a job with the tool on all ranks");
  if (is_cut)
    tell(Severity::warning, "not all ranks' calls are known to the end: this covers the part before", {},
         "cairn run --tools waits=calls:1048576:memory:0 PROGRAM");
  if (!has_end)
    tell(Severity::warning, "waits.graph ends before the run: this covers the part before", {},
         "cairn run --tools waits=analysis:0 PROGRAM");
}

/// What is known of the sections so far, and what they would become.
struct Foreseen {
  waits::Earlier earlier;
  waits::RunTime run;
  waits::Difference difference;
  bool is_known = false;
  bool is_cut = false;
  bool is_at_end = true;
  int size = 0;  // ranks
  std::vector<int> missing;

  void add(std::vector<waits::RankRecords> records, const std::string& change) {
    if (records.front().section == 0) missing = waits::ranks_without(records);
    for (const auto& one : records) is_cut = is_cut || one.cut != 0 || one.until != waits::no_end;
    is_at_end = records.front().is_last;
    for (const auto& one : records) size = std::max(size, one.size);
    waits::cut_alike(records);
    waits::Figures section(std::move(records), waits::naming_by(symbols()), std::move(earlier));
    run.add(section);
    if (const auto changed = change_of(section, change, size)) {
      difference += waits::difference(section, section.predictions.with(*changed));
      is_known = true;
    }
    earlier = std::move(section).carry();
  }
};

int tell_whatif(const std::vector<std::string>& /*program*/) {
  if (whatif_options.change.empty()) {
    waits::Analysis analysis(waits::naming_by(symbols()), static_cast<int>(std::thread::hardware_concurrency()));
    visit_calls([&](std::vector<waits::RankRecords> records) { analysis.add(std::move(records)); });
    std::fputs(waits::text_of(analysis.summary()).c_str(), stdout);
    return 0;
  }
  Foreseen foreseen;
  visit_calls(
      [&](std::vector<waits::RankRecords> records) { foreseen.add(std::move(records), whatif_options.change); });
  if (!foreseen.is_known) tell_unknown(whatif_options.change, foreseen.size);
  tell_missing(foreseen.missing, foreseen.is_cut, foreseen.is_at_end);
  const waits::Prediction predicted = foreseen.run.with(foreseen.difference);
  const double now = foreseen.run.seconds();
  fmt::print("{}: {:.3f} s instead of {:.3f} s ({:+.1f} %), error {:.3f} s\n", whatif_options.change, predicted.run_s,
             now, now > 0 ? 100 * (predicted.run_s - now) / now : 0, predicted.error_s);
  return 0;
}

}  // namespace

Command whatif_command() {
  return {
      .name = "whatif",
      .synopsis = "RUN [CHANGE]",
      .summary = "Predict the run time with a change, from the calls that 'waits' or 'trace' recorded",
      .more =
          {{"EXAMPLES",
            "  mpirun -n 64 cairn run --tools waits --out results ./app\n"
            "  cairn whatif results\n"
            "  cairn whatif results 'heat.c:120..131 x 0.5'\n"
            "  cairn whatif results 'heat.c:120..131 x 0.5 on 3'\n"
            "  cairn whatif results 'heat.c:120..131 as others'\n"
            "  cairn whatif results 'heat.c:140 free'\n"
            "  cairn whatif results ideal_network"},
           {"CHANGES",
            "  FILE:LINE..LINE x FACTOR: the work between the calls at these lines takes FACTOR times as long.\n"
            "  FILE:LINE x FACTOR: the call itself, without its waiting.\n"
            "  FILE:LINE..LINE as others, FILE:LINE as others: ranks that take longer there than the mean take as long "
            "as the others do.\n"
            "  FILE:LINE..LINE sent first: what is sent at the second line leaves before that work.\n"
            "  With ' on RANKS' after one of these: only there.\n"
            "  FILE:LINE..LINE evenly: ranks that work there all have the same amount of it.\n"
            "  FILE:LINE free: the calls there, and those that receive their messages, take no time, and nobody waits "
            "in "
            "them.\n"
            "  FILE:LINE eager: messages that are sent there do not need their receiver.\n"
            "  ideal_network, perfect_balance, eager_messages, free_collectives, expected_messages\n  (docs/waits.md)"},
           {"EXIT STATUS", "  0: predicted; 125: there are no calls, or the change applies to none of them."}},
      .add_options = add_whatif_options,
      .action = tell_whatif,
  };
}

}  // namespace cairn::cli
