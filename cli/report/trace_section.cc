// SPDX-License-Identifier: BSD-3-Clause
// trace_section.cc - the traces of a run as a section: how much there is; for the page, ranks over time

#include "cli/report/trace_section.hpp"

#include <algorithm>

#include "cli/program.hpp"
#include "cli/report/comm_parts.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/timeline.hpp"
#include "cli/report/trace_figures.hpp"
#include "cli/report/wording.hpp"
#include "cli/trace/sums.hpp"

namespace cairn::report {

namespace {

constexpr const char* trace_tool = "trace";

Table functions_of(const cli::TraceSums& sums) {
  Table table{"trace_functions",
              "Functions",
              {{"name", "function", Kind::text, Column::tells_apart, true},
               {"calls", "calls", Kind::count, Column::sum, true},
               {"time_total_s", "total over ranks", Kind::seconds, Column::sum, true},
               {"longest_call_s", "longest call", Kind::seconds, Column::nothing, true},
               {"bytes", "bytes", Kind::bytes, Column::sum, true}},
              {}};
  for (const auto& [name, sum] : sums.by_time())
    table.rows.push_back({harmless(name), sum.calls, sum.seconds, sum.longest, sum.bytes});
  return table;
}

Section traces_section(const cli::RunTraces& run, const cli::TraceSums& sums) {
  const trace::Process& first = run.processes.front()->file.process();
  Section section{trace_tool, 1, "", "trace", {}, {}, {}, {}};
  section.facts = {{"ranks", "ranks", Kind::number, static_cast<std::uint64_t>(std::max(first.size, 0))},
                   {"program", "program", Kind::text, harmless(first.program)},
                   {"calls", "calls", Kind::count, sums.calls},
                   {"threads", "threads", Kind::count, sums.threads},
                   {"time_s", "time", Kind::seconds, sums.longest_s},
                   {"bytes_on_disk", "bytes on disk", Kind::bytes, sums.file_bytes}};
  section.lines.push_back({count(sums.calls), "calls are in the trace",
                           "of " + plural(sums.threads, "thread") + " in " + seconds(sums.longest_s) +
                               "; the page shows ranks over time, 'cairn trace' all calls, also for other viewers."});
  if (sums.unknown != 0)
    section.lines.push_back({count(sums.unknown), sums.unknown == 1 ? "call has" : "calls have",
                             "a datatype whose size is unknown: its bytes are missing in all figures from the trace."});
  section.tables.push_back(functions_of(sums));
  return section;
}

bool has_section(const Report& report, std::string_view of) {
  return std::ranges::any_of(report.sections, [&](const Section& section) { return section.tool == of; });
}

Section section_from_trace(std::string_view of) { return {std::string(of), 1, "", "trace", {}, {}, {}, {}}; }

/// Says last where the figures are from.
void add(Section section, const char* without, Report& report) {
  section.lines.push_back(
      {"trace", "is what these figures are from, without the tool '" + section.tool + "'", without});
  make_whole(section);
  report.sections.push_back(std::move(section));
}

void add_profile(const formats::profile::Summary& profile, Report& report) {
  Section section = section_from_trace("profile");
  read_profile(Json::parse(file_text(profile)), section);
  add(std::move(section),
      "Not in it: functions that only ask or compute, regions, the overlap of transfers, and the bytes of persistent "
      "collective calls and of broadcasts and reductions between two groups.",
      report);
}

void add_comm(formats::comm::Summary comm, const std::string& folder, Report& report) {
  Section section = section_from_trace("comm");
  show_comm(comm::Data(std::move(comm), comm::Beside(formats::run::of_folder(folder))), {}, section);
  add(std::move(section), "Not in it: collective calls, files, and phases.", report);
}

/// Of the tools that have left nothing.
void add_figures(const cli::RunTraces& run, const std::string& folder, Report& report) {
  const bool has_profile = has_section(report, "profile");
  const bool has_comm = has_section(report, "comm");
  if (has_profile && has_comm) return;
  where::Places places(cli::symbols());
  TraceFigures figures = figures_of(run, places);
  if (!has_profile) add_profile(figures.profile, report);
  if (!has_comm) add_comm(std::move(figures.comm), folder, report);
}

}  // namespace

void read_trace(const std::string& folder, Report& report) try {
  if (trace::files_in(folder + "/trace").empty()) return;
  cli::RunTraces run = cli::read_traces(folder, "");
  const cli::TraceSums sums = cli::sums_of(run);
  report.warnings.insert(report.warnings.end(), run.warnings.begin(), run.warnings.end());
  for (Problem& damage : run.damages()) report.warnings.push_back(std::move(damage));  // all was read
  add_figures(run, folder, report);
  report.sections.push_back(traces_section(run, sums));
} catch (const Problem& problem) {
  report.warnings.push_back(problem);
}

bool add_timeline(const std::string& folder, const TimelineWindow& window, Report& report) {
  const auto section = std::ranges::find(report.sections, trace_tool, &Section::tool);
  if (section == report.sections.end()) return false;
  cli::RunTraces run = cli::read_traces(folder, "");
  const std::size_t before = run.warnings.size();
  run.align();
  report.warnings.insert(report.warnings.end(), run.warnings.begin() + static_cast<std::ptrdiff_t>(before),
                         run.warnings.end());
  where::Places places(cli::symbols());
  Json chart = timeline_chart(run, places, window);
  if (chart.is_null()) return false;
  chart["question"] = key_of(Question::ranks);
  section->charts.push_back(std::move(chart));
  return true;
}

}  // namespace cairn::report
