// SPDX-License-Identifier: BSD-3-Clause
// report.cc - `cairn report`: what a run's folder says, or what changed from one run to another.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/report/comm_matrices.hpp"
#include "cli/report/compare.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/runs.hpp"
#include "cli/report/trace_section.hpp"
#include "cli/report/writing.hpp"

namespace cairn::cli {

namespace {

struct ReportOptions {
  std::vector<std::string> folders;
  std::string text;
  std::string csv;
  std::string json;
  std::string html;
  std::string mat;
  std::string between;
  std::string fail_if;
  bool say_nothing_but_these() const { return !(text + csv + json + html + mat).empty(); }
};

ReportOptions report_options;

void add_report_options(OptionAdder& add) {
  add.option("folder", report_options.folders, "The run's folder; two to compare the runs, more for a table of them")
      .required()
      .expected(1, 1000)
      .type_name("DIR");
  add.option("--text", report_options.text, "Write everything as text, '-' for the terminal").type_name("FILE");
  add.option("--csv", report_options.csv, "Write each table as a CSV file into this folder").type_name("FOLDER");
  add.option("--json", report_options.json, "Write everything as JSON, '-' for the terminal").type_name("FILE");
  add.option("--html", report_options.html, "Write the page to this file").type_name("FILE");
  add.option("--mat", report_options.mat,
             "Write comm's matrices as PREFIX_size_all.mat and so on, as Open MPI's script does")
      .type_name("PREFIX");
  add.option("--between", report_options.between,
             "Only this part of a trace in the page's timeline, such as 1.25-1.5, or 1.25- to the end")
      .type_name("SECONDS");
  add.option("--fail-if", report_options.fail_if, "End with 1 if this holds, such as 'mpi_share > 1.1 * baseline'")
      .type_name("CONDITION");
}

void write_csv(const std::string& folder, const report::Report& report) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw Problem("no CSV files in '" + folder + "': " + error.message(), "another folder", "--csv " + folder);
  for (const auto& [name, text] : report::csv_files(report)) write_output(folder + "/" + name, text, "--csv " + folder);
}

void write_what_is_asked(const report::Report& report) {
  if (!report_options.text.empty())
    write_output(report_options.text, full_text(report), "--text " + report_options.text);
  if (!report_options.json.empty())
    write_output(report_options.json, json_text(report), "--json " + report_options.json);
  if (!report_options.html.empty())
    write_output(report_options.html, report::page(report), "--html " + report_options.html);
  if (!report_options.csv.empty()) write_csv(report_options.csv, report);
  if (report_options.mat.empty()) return;
  if (report_options.folders.size() > 1)
    throw Problem("matrices are of one run", "one folder", "--mat " + report_options.mat);
  for (const auto& [path, text] : report::symmetric_matrices(report_options.folders.front(), report_options.mat))
    write_output(path, text, "--mat " + report_options.mat);
}

/// The summary, and the page beside the results of a single run; of many runs their table.
void show_report(const report::Report& report) {
  fmt::print("{}", report_options.folders.size() > 2 ? full_text(report) : summary_text(report));
  if (report_options.folders.size() > 1) return;
  const std::string path = report_options.folders.front() + "/report.html";
  try {
    for (const auto& [matrix, text] : report::inner_matrices(report_options.folders.front()))
      write_output(matrix, text, "");
    write_output(path, report::page(report), "");
    fmt::print("\neverything, with charts: {}\n", path);
  } catch (const Problem& problem) {
    tell(Severity::warning, problem.what(), "", "cairn report " + report_options.folders.front() + " --html FILE");
  }
}

report::Report read_with_overview(const std::string& folder) {
  report::Report report = report::read_run(folder);
  report::add_overview(folder, report);
  return report;
}

/// "1.25-1.5", "1.25-"
report::TimelineWindow window_of(const std::string& text) {
  constexpr double per_second = 1e9;
  constexpr double most_seconds = 1e9;
  report::TimelineWindow window;
  if (text.empty()) return window;
  const auto refuse = [&]() -> Problem {
    return Problem("'" + text + "' is not a part of the time", "seconds since the start, as 1.25-1.5",
                   "--between " + text);
  };
  const auto number = [&](const std::string& part) {
    char* end = nullptr;
    const double value = std::strtod(part.c_str(), &end);
    if (part.empty() || *end != '\0' || !(value >= 0) || value > most_seconds) throw refuse();
    return static_cast<std::int64_t>(value * per_second);
  };
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos) throw refuse();
  window.from = number(text.substr(0, dash));
  if (dash + 1 < text.size()) window.to = number(text.substr(dash + 1));
  if (window.to <= window.from) throw refuse();
  return window;
}

/// What only the page shows.
void add_ranks_over_time(report::Report& report) {
  const report::TimelineWindow window = window_of(report_options.between);
  const bool has_page = !report_options.say_nothing_but_these() || !report_options.html.empty();
  const bool is_added = report_options.folders.size() == 1 && has_page &&
                        report::add_timeline(report_options.folders.front(), window, report);
  if (!is_added && !report_options.between.empty())
    throw Problem("no part of a trace is shown: there is no trace, no call in that time, or no page",
                  "one run that has a trace, and no option but --html", "--between " + report_options.between);
}

/// Two or more runs, or one.
report::Report read_folders() {
  if (report_options.folders.size() > 2) return report::table_of_runs(report_options.folders);
  report::Report report = read_with_overview(report_options.folders.front());
  if (report_options.folders.size() == 2) {
    report = compare(report, read_with_overview(report_options.folders.back()));
    if (report.sections.empty())
      throw Problem("nothing to compare: no tool wrote results in both runs", "two runs with the same tools");
  }
  return report;
}

/// The exit code.
int check_condition(const report::RunCondition& condition) {
  const auto broken = condition.broken_in(report_options.folders);
  for (const auto& [folder, figures] : broken)
    tell(Severity::error, "'" + folder + "': " + figures, "--fail-if '" + report_options.fail_if + "'", "");
  return broken.empty() ? 0 : 1;
}

/// Before what takes long with large runs.
void check_report_files() {
  check_output(report_options.text, "--text " + report_options.text);
  check_output(report_options.json, "--json " + report_options.json);
  check_output(report_options.html, "--html " + report_options.html);
}

int report_runs(const std::vector<std::string>& /*program*/) {
  std::optional<report::RunCondition> condition;
  if (!report_options.fail_if.empty()) condition.emplace(report_options.fail_if);
  check_report_files();
  report::Report report = read_folders();
  add_ranks_over_time(report);
  for (const Problem& warning : report.warnings) tell(Severity::warning, warning.what(), "", warning.remedy);
  if (report_options.say_nothing_but_these()) write_what_is_asked(report);
  else show_report(report);
  return condition ? check_condition(*condition) : 0;
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .synopsis =
          "DIR... [--text FILE] [--csv FOLDER] [--json FILE] [--html FILE] [--mat PREFIX] [--between SECONDS] "
          "[--fail-if CONDITION]",
      .summary = "Show the results of a run, what changed between two runs, or many side by side",
      .more =
          {{"OUTPUT",
            "  Without options: efficiency, findings, and figures by question with their meaning; for a single run "
            "also the "
            "page\n"
            "  DIR/report.html with charts and tables, which needs no network. With options: only what they ask for."},
           {"TWO RUNS",
            "  The first is A, the second B. Functions are matched by name, call sites by function, file, line and\n"
            "  caller; what changed most comes first. Times are those of an average rank."},
           {"MORE RUNS", "  A table with a row for each."},
           {"CONDITIONS",
            "  A condition has figures of a run ('cairn advise --fields', kind 'run') and of the first one, the "
            "baseline. Each\n"
            "  further run is held to it: 'mpi_share > 1.1 * baseline', 'time > 1.05 * baseline.time'. A single run is "
            "held\n"
            "  to numbers: 'mpi_share > 20 %'."},
           {"EXAMPLES",
            "  cairn report results\n"
            "  cairn report results --text - | less\n"
            "  cairn report before after --html changes.html"},
           {"EXIT STATUS",
            "  0, also if the runs differ; 1: the condition of --fail-if holds; 125: there is nothing to report, or it "
            "cannot be written."}},
      .add_options = add_report_options,
      .action = report_runs,
  };
}

}  // namespace cairn::cli
