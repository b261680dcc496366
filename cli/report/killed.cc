// SPDX-License-Identifier: BSD-3-Clause
// killed.cc - results of ranks that could not write them, from the memory that they have left

#include "cli/report/killed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "cairn/board.hpp"
#include "cli/program.hpp"
#include "cli/report/profile_board.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/vars_board.hpp"
#include "cli/report/wording.hpp"
#include "cli/where/selection.hpp"
#include "formats/part.hpp"
#include "live/comm_board.hpp"
#include "where/places.hpp"

namespace cairn::report {

namespace {

constexpr const char* how = formats::Part::killed;  // as far as can be told: it has had no time

/// Those with most time first.
std::vector<where::Figures> by_time(const where::Process& process) {
  std::vector<where::Figures> rows;
  for (const auto& [function, figures] : process.recorded()) rows.push_back(figures);
  std::ranges::stable_sort(rows, std::greater<>(), &where::Figures::ticks);
  return rows;
}

std::string name_of(const where::Figures& figures) {
  return figures.function == nullptr ? "unknown function" : harmless(figures.function->name);
}

Table table_of_killed(const where::Process& process, const std::vector<where::Figures>& rows) {
  Table table{"killed_functions",
              "Functions",
              {{"name", "function", Kind::text, Column::tells_apart, true},
               {"calls", "calls", Kind::count, Column::sum, true},
               {"time_total_s", "time", Kind::seconds, Column::sum, true},
               {"call_mean_s", "mean call", Kind::seconds, Column::nothing, true}},
              {}};
  for (const where::Figures& figures : rows) {
    const double time = process.time.seconds(figures.ticks);
    table.rows.push_back({name_of(figures), figures.calls, time,
                          figures.calls == 0 ? Json() : Json(time / static_cast<double>(figures.calls))});
  }
  return table;
}

/// The calls that its threads were in.
void add_calls_under_way(const where::Process& killed, std::vector<Line>& lines) {
  where::Places places(cli::symbols());
  for (const where::Thread& thread : killed.threads)
    if (thread.inside && thread.inside->function != nullptr) {
      const std::string place = places.text(killed, thread.inside->site);
      lines.push_back({"in", thread.inside->function->name + (place.empty() ? "" : " at " + place),
                       "when it ended; the call is not among the figures."});
    }
}

void add_known(const std::string& what, const where::Process& killed, Section& section) {
  std::vector<Line> lines = {{how, fmt::format("ended rank {}", killed.rank), what}};
  add_calls_under_way(killed, lines);
  section.lines.insert(section.lines.begin(), lines.begin(), lines.end());
}

/// " 3 call sites are missing: there was no room."
std::string lost_phrase(std::uint64_t lost, const char* what) {
  if (lost == 0) return "";
  return fmt::format(" {} missing: there was no room.", plural(lost, what) + (lost == 1 ? " is" : " are"));
}

/// As a part that the tool would have written, but for what is not known.
void read_sites(const where::Process& killed, const ProfileOnBoard& known, Section& section) {
  read_profile(Json::parse(file_text(known.summary)), section);
  add_known(
      "What follows is from memory that outlived the process: calls that had returned, by function and call site; "
      "regions, communicators and sizes of messages are not known, and the run is taken to have ended with its last "
      "call." +
          lost_phrase(known.lost, "call site"),
      killed, section);
}

void read_figures(const where::Process& killed, const std::string& why, Section& section) {
  add_known(
      "The tool could write nothing. Calls that had returned and their time are known, from memory that outlived the "
      "process; bytes and call sites are not" +
          (why.empty() ? "." : ": " + why + "."),
      killed, section);
  const std::vector<where::Figures> rows = by_time(killed);
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 3); ++i)
    section.lines.push_back({seconds(killed.time.seconds(rows[i].ticks)), "in " + name_of(rows[i]),
                             plural(rows[i].calls, "call") + " that had returned."});
  section.tables.push_back(table_of_killed(killed, rows));
}

void profile_of(const where::Process& killed, Section& section) {
  std::optional<ProfileOnBoard> known;
  std::string why;
  try {
    known = profile_on_board(killed);
  } catch (const Problem& problem) {
    why = problem.what();
  }
  if (known) read_sites(killed, *known, section);
  else read_figures(killed, why, section);
}

void vars_of(const where::Process& killed, Section& section) try {
  where::Places places(cli::symbols());
  const VarsOnBoard known = vars_on_board(killed, places);
  if (known.file.is_null()) return;
  read_vars(known.file, section);
  section.facts.clear();
  add_known(
      "What follows is from memory that outlived the process: what calls that were read did to variables; values "
      "at the end, objects and elements are not known." +
          lost_phrase(known.lost, "row or variable"),
      killed, section);
} catch (const Problem& problem) {
  add_known(fmt::format("The tool could write nothing, and {}.", problem.what()), killed, section);
}

}  // namespace

Killed::Killed(const std::string& folder, const std::string& run) {
  for (where::JobPages& job : cli::jobs_here({.job = folder, .nodes = {}, .history = 1}))
    for (where::Process& process : job.processes)
      if (process.has_died() && process.phase == page::Phase::running && (run.empty() || process.run == run))
        ranks_.push_back(std::move(process));
}

Json comm_of(const where::Process& killed, const std::string& run) {
  const live::CommBoard board = live::read_comm_board(killed);
  if (!board.is_there) return {};
  formats::comm::Summary summary = live::summary_of(board, killed.rank, killed.size);
  summary.run = run;
  summary.program = killed.program;
  summary.ended_by = how;
  summary.nodes = {{killed.host, {killed.rank}}};
  return Json::parse(file_text(summary));
}

std::optional<Section> section_of(std::string_view tool, const where::Process& killed) {
  Section section{std::string(tool), 1, fmt::format("rank {}", killed.rank), "pages", {}, {}, {}, {}};
  if (tool == "profile") profile_of(killed, section);
  if (tool == "vars") vars_of(killed, section);
  if (section.lines.empty()) return std::nullopt;
  make_whole(section);
  return section;
}

}  // namespace cairn::report
