// SPDX-License-Identifier: BSD-3-Clause
// where_section.cc - what kept a job from moving, as the tool `where` has written it, and how a job died, from what its
// ranks have recorded, as sections

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/program.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"
#include "cli/where/selection.hpp"
#include "where/report.hpp"

namespace cairn::report {

namespace {

constexpr const char* where_file = "where.json";

std::string ranks_phrase(const std::string& ranks) {
  if (ranks.empty()) return "";
  return (ranks.find_first_of("-,") == std::string::npos ? "rank " : "ranks ") + ranks;
}

Table groups_of(const Json& file) {
  Table table{"where",
              "What each rank did",
              {{"ranks", "ranks", Kind::text, Column::nothing, true},
               {"state", "state", Kind::text},
               {"doing", "doing", Kind::text, Column::nothing, true},
               {"place", "place", Kind::text, Column::nothing, true},
               {"longest_s", "since", Kind::seconds, Column::nothing, true}},
              {}};
  for (const Json& group : at(file, "groups")) {
    const double longest = number_at(group, "longest_s");
    table.rows.push_back({text_at(group, "ranks"), text_at(group, "state"), text_at(group, "doing"),
                          text_at(group, "place"), known(longest)});
  }
  return table;
}

/// As report_json() writes it.
void read_where(const Json& file, Section& section) {
  const std::string state = text_at(file, "state");
  section.question = Question::waiting;
  section.facts = {{"state", "state", Kind::text, state},
                   {"ranks", "ranks", Kind::count, at(file, "ranks").is_number_unsigned() ? at(file, "ranks") : Json()},
                   {"program", "program", Kind::text, text_at(file, "program")}};
  for (const Json& finding : at(file, "findings")) {
    const std::string ranks = ranks_phrase(text_at(finding, "ranks"));
    section.lines.push_back({ranks.empty() ? state : ranks, text_at(finding, "kind"), text_at(finding, "text") + "."});
  }
  if (section.lines.empty())
    section.lines.push_back(
        {state, "all ranks", "Nothing was found that holds them up; the table shows what they did."});
  section.tables.push_back(groups_of(file));
}

void add(const Json& file, const std::string& part, const std::string& name, Report& report) {
  Section section{"where", 1, part, name, {}, {}, {}, {}};
  read_where(file, section);
  make_whole(section);
  report.sections.push_back(std::move(section));
}

void add_hang(const std::string& folder, const std::string& run, Report& report) try {
  const std::string path = folder + "/" + where_file;
  if (std::filesystem::exists(path)) add(parse_result(path, run, formats::where_tag), "", where_file, report);
} catch (const Problem& problem) {
  report.warnings.push_back(problem);
}

/// Pages that cannot be read: of those in the folder it is known that they are of the run.
void warn_of_damage(const std::string& folder, const std::vector<std::string>& damaged, bool memory_counts,
                    Report& report) {
  for (const std::string& what : damaged)
    if (memory_counts || what.find("'" + folder + "/pages/") != what.npos) report.warnings.emplace_back(what);
}

void add_death(const where::JobPages& pages, const std::string& part, Report& report) {
  const where::Job job = where::look_at_job(pages.all());
  where::Places places(cli::symbols());
  constexpr double patience_s = 1;
  const where::Verdict verdict = where::judge(job, places, patience_s);
  add(Json::parse(where::report_json(job, verdict, places)), part, "pages", report);
}

/// Of ranks that have ended without MPI_Finalize, on this node, or as the folder has them.
void add_deaths(const std::string& folder, const std::string& run, Report& report) {
  const bool has_hang = !report.sections.empty() && report.sections.back().tool == "where";
  std::vector<std::string> damaged;
  bool is_in_memory = false;
  for (const where::JobPages& pages : cli::jobs_here({.job = folder, .nodes = {}}, damaged)) {
    if (!run.empty() && pages.name != run) continue;
    if (std::ranges::none_of(pages.processes, &where::Process::has_died)) continue;
    for (const where::Process& one : pages.processes)
      is_in_memory = is_in_memory || one.path.starts_with(page::folder() + "/");
    try {
      add_death(pages, has_hang ? "afterwards" : "", report);
    } catch (const std::exception& error) {
      report.warnings.emplace_back("the pages of run " + pages.name + " cannot be judged: " + error.what());
    }
  }
  warn_of_damage(folder, damaged, is_in_memory, report);
}

}  // namespace

void read_ends(const std::string& folder, const std::string& run, Report& report) {
  add_hang(folder, run, report);
  add_deaths(folder, run, report);
}

}  // namespace cairn::report
