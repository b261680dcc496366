// SPDX-License-Identifier: BSD-3-Clause
// waits_section.cc - waits.json (tools/waits/README.md) as a section of the report

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/efficiency.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/strips.hpp"
#include "cli/report/waits_tables.hpp"
#include "cli/report/wording.hpp"
#include "formats/ranks.hpp"
#include "formats/readers.hpp"
#include "waits/wording.hpp"

namespace cairn::report {

namespace {

constexpr std::size_t waits_told = 3;
constexpr double least_told = 0.02;  // of all waiting

void add_split(const WaitsSummary& waits, std::vector<Line>& lines) {
  const auto& split = waits.split;
  const double all = split.all();
  if (all <= 0) return;
  lines.push_back({percent(split.waiting / all), "of all ranks' time is waiting for another rank",
                   fmt::format("{} is work, {} transfer, {} the start of MPI.", percent(split.work / all),
                               percent(split.transfer / all), percent(split.start / all))});
  if (split.unknown > 0)
    lines.push_back({percent(split.unknown / all), "of all ranks' time is waiting or transfer",
                     fmt::format("Which of them is unknown: {}.", waits::unknown_text)});
}

/// Of all threads; the ranks' time is that of their first ones.
void add_waits(const WaitsSummary& waits, std::vector<Line>& lines) {
  double listed = 0;
  for (const formats::waits::Wait& wait : waits.waits) listed += wait.time;
  const double waiting = std::max(waits.split.waiting, listed);
  for (std::size_t i = 0; i < std::min(waits_told, waits.waits.size()); ++i) {
    const formats::waits::Wait& wait = waits.waits[i];
    if (wait.time < least_told * waiting) return;
    lines.push_back({percent(wait.time / waiting),
                     fmt::format("of it: {} in {}", kind_text(wait.kind), waits::call_text(wait.place)),
                     fmt::format("{}, {} in all; longest on rank {}, {}.", plural(wait.count, "call"),
                                 seconds(wait.time), wait.worst_rank, seconds(wait.most))});
  }
}

/// What determines how long the run takes.
void add_path(const WaitsSummary& waits, std::vector<Line>& lines) {
  const auto& path = waits.path;
  if (path.length <= 0 || path.pieces.empty()) return;
  const auto& first = path.pieces.front();
  lines.push_back(
      {percent(path.work / path.length), "of the critical path is work",
       fmt::format("Of {}, {} are work beyond what the mean rank does in the same place. Most of the path is "
                   "{}, {}.",
                   seconds(path.length), seconds(path.imbalance), piece_text(first), seconds(first.time)),
       Question::time});
}

void add_missing(const WaitsSummary& waits, std::vector<Line>& lines) {
  if (waits.coverage.is_cut())
    lines.push_back({percent(1 - waits.coverage.analysed / waits.coverage.whole_run), "of the run is left out",
                     "To be exact, " + waits::analysed_text(waits.coverage) + "."});
  if (!waits.coverage.missing.empty())
    lines.push_back(
        {std::to_string(waits.coverage.missing.size()),
         waits.coverage.missing.size() == 1 ? "rank has left no records" : "ranks have left no records",
         fmt::format("What {} made others wait for is unknown.", formats::named_ranks(waits.coverage.missing))});
  for (const waits::Unmatched& one : waits::unmatched(waits.coverage))
    lines.push_back({count(one.count), one.what,
                     fmt::format("Of {} in all; who waits for whom in these is unknown.", count(one.all))});
  for (const formats::waits::LeftOut& one : waits.coverage.left_out) {
    const bool is_end = one.why.starts_with(formats::waits::ended_by);
    lines.push_back({one.count == 0 ? "" : std::to_string(one.count), one.why,
                     fmt::format("On {}; {}.", formats::named_ranks(one.ranks),
                                 is_end ? "the figures are of what was before" : "the figures are without them")});
  }
}

std::vector<Fact> facts_of(const WaitsSummary& waits) {
  const auto& of = waits.efficiency;
  std::vector<Fact> facts = {{"ranks", "ranks", Kind::count, static_cast<std::uint64_t>(std::max(0, waits.ranks))},
                             {"program", "program", Kind::text, waits.program},
                             {"run_s", "run", Kind::seconds, waits.run_time, true},
                             {"waiting_s", "waiting, all ranks", Kind::seconds, waits.split.waiting, true},
                             {work_fact, "work, all ranks", Kind::seconds, waits.split.work}};
  if (waits.coverage.calls == 0 && waits.run_time <= 0) return {facts.begin(), facts.begin() + 2};  // nothing is known
  if (waits.coverage.is_cut())
    facts.push_back(
        {analysed_fact, "analysed, of the run", Kind::fraction, waits.coverage.analysed / waits.coverage.whole_run});
  if (waits.split.unknown > 0)
    facts.push_back({"unknown_s", "waiting or transfer, all ranks", Kind::seconds, waits.split.unknown, true, true});
  if (!waits.coverage.missing.empty())
    facts.push_back({known_ranks_fact, "ranks with records", Kind::count, waits.known_ranks()});
  const auto add = [&](const char* key, double value) {
    if (value >= 0) facts.push_back({key, std::string(efficiency_title(key)), Kind::fraction, value});
  };
  add("parallel_efficiency", of.parallel);
  add("load_balance", of.load_balance);
  add("communication_efficiency", of.communication);
  add("serialisation_efficiency", of.serialisation);
  add("transfer_efficiency", of.transfer);
  if (waits.clock.nodes > 1) {
    add("load_balance_between_nodes", of.node_balance);
    add("load_balance_in_nodes", of.balance_in_nodes);
  }
  return facts;
}

std::vector<RankFigures> by_rank(const WaitsSummary& waits) {
  std::vector<RankFigures> figures;
  const auto add = [&](const char* key, const char* title, auto value, Kind kind = Kind::seconds) {
    RankFigures one{{key, title, kind, kind == Kind::seconds ? Column::sum : Column::state, true}, {}};
    one.values.assign(static_cast<std::size_t>(std::max(0, waits.ranks)), NAN);
    for (const formats::waits::RankSplit& rank : waits.by_rank)
      if (rank.rank >= 0 && rank.rank < waits.ranks) one.values[static_cast<std::size_t>(rank.rank)] = value(rank);
    figures.push_back(std::move(one));
  };
  using formats::waits::RankSplit;
  add("work_s", "work", [](const RankSplit& rank) { return rank.split.work; });
  add("waiting_s", "waiting", [](const RankSplit& rank) { return rank.split.waiting; });
  add("transfer_s", "transfer", [](const RankSplit& rank) { return rank.split.transfer; });
  add("start_s", "start of MPI", [](const RankSplit& rank) { return rank.split.start; });
  if (waits.split.unknown > 0)
    add("unknown_s", "waiting or transfer", [](const RankSplit& rank) { return rank.split.unknown; });
  add("caused_s", "makes others wait", [](const RankSplit& rank) { return rank.caused; });
  const double start_s = waits.split.start / static_cast<double>(waits.known_ranks());
  if (waits.run_time > start_s)
    add(
        "parallel_efficiency", "work, of the run time",
        [&](const RankSplit& rank) { return std::round(1e4 * rank.split.work / (waits.run_time - start_s)) / 1e4; },
        Kind::fraction);
  return figures;
}

}  // namespace

void read_waits(const Json& file, Section& section) {
  const WaitsSummary waits = formats::read_waits(file);
  section.question = Question::waiting;
  section.facts = facts_of(waits);
  add_split(waits, section.lines);
  add_waits(waits, section.lines);
  add_path(waits, section.lines);
  add_missing(waits, section.lines);
  section.tables = waits_tables(waits);
  section.charts = waits_charts(waits, section.tables);
  section.by_rank = by_rank(waits);
  section.strips = strips_chart(waits);
}

}  // namespace cairn::report
