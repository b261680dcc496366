// SPDX-License-Identifier: BSD-3-Clause
// killed.cc - results of ranks that could not write them, from the memory that they have left

#include "cli/report/killed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "cairn/board.hpp"
#include "cli/program.hpp"
#include "cli/report/wording.hpp"
#include "cli/where/selection.hpp"
#include "live/comm_board.hpp"
#include "where/places.hpp"

namespace cairn::report {

namespace {

constexpr const char* how = "SIGKILL";  // as far as can be told: it has had no time

struct FunctionSum {
  std::uint64_t calls = 0;
  double seconds = 0;
};

std::map<std::string, FunctionSum> functions_of(const where::Process& process) {
  std::map<std::string, FunctionSum> sums;
  for (const where::Thread& thread : process.threads)
    for (const where::Figures& figures : thread.figures) {
      FunctionSum& sum = sums[figures.function == nullptr ? "unknown function" : figures.function->name];
      sum.calls += figures.calls;
      sum.seconds += process.time.seconds(figures.ticks);
    }
  return sums;
}

using Rows = std::vector<std::pair<std::string, FunctionSum>>;

/// Those with most time first.
Rows by_time(const std::map<std::string, FunctionSum>& sums) {
  Rows rows(sums.begin(), sums.end());
  std::ranges::stable_sort(rows, std::greater<>(), [](const auto& row) { return row.second.seconds; });
  return rows;
}

Table table_of(const Rows& rows) {
  Table table{"killed_functions",
              "Functions",
              {{"name", "function", Kind::text, Column::tells_apart, true},
               {"calls", "calls", Kind::count, Column::sum, true},
               {"time_total_s", "time", Kind::seconds, Column::sum, true},
               {"call_mean_s", "mean call", Kind::seconds, Column::nothing, true}},
              {}};
  for (const auto& [name, sum] : rows)
    table.rows.push_back({harmless(name), sum.calls, sum.seconds,
                          sum.calls == 0 ? Json() : Json(sum.seconds / static_cast<double>(sum.calls))});
  return table;
}

/// The calls that its threads were in.
void add_calls_under_way(const where::Process& killed, Section& section) {
  where::Places places(cli::symbols());
  for (const where::Thread& thread : killed.threads)
    if (thread.inside && thread.inside->function != nullptr) {
      const std::string place = places.text(killed, thread.inside->site);
      section.lines.push_back({"in", thread.inside->function->name + (place.empty() ? "" : " at " + place),
                               "when it ended; the call is not among the figures."});
    }
}

}  // namespace

Killed::Killed(const std::string& folder, const std::string& run) {
  for (where::JobPages& job : cli::jobs_here({.job = folder, .nodes = {}, .history = 1}))
    for (where::Process& process : job.processes)
      if (process.has_died() && process.phase == page::Phase::running && (run.empty() || process.run == run))
        ranks_.push_back(std::move(process));
}

Json comm_of(const where::Process& killed, const std::string& run) {
  const live::CommBoard board = live::read_comm_board(board::beside(killed.path, board::traffic));
  if (!board.is_there) return {};
  formats::comm::Summary summary = live::summary_of(board, killed.rank, killed.size);
  summary.run = run;
  summary.program = killed.program;
  summary.ended_by = how;
  summary.nodes = {{killed.host, {killed.rank}}};
  return Json::parse(file_text(summary));
}

Section profile_of(const where::Process& killed) {
  Section section{"profile", 1, fmt::format("rank {}", killed.rank), "pages", {}, {}, {}, {}};
  section.lines.push_back(
      {how, fmt::format("ended rank {}", killed.rank),
       "The tool could write nothing. Calls that had returned and their time are known, from memory that has outlived "
       "the process; bytes and call sites are not."});
  add_calls_under_way(killed, section);
  const Rows rows = by_time(functions_of(killed));
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i)
    section.lines.push_back({seconds(rows[i].second.seconds), "in " + harmless(rows[i].first),
                             plural(rows[i].second.calls, "call") + " that had returned."});
  section.tables.push_back(table_of(rows));
  return section;
}

}  // namespace cairn::report
