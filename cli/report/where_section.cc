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
#include "formats/ranks.hpp"
#include "formats/readers.hpp"
#include "where/report.hpp"

namespace cairn::report {

namespace {

using JobSummary = formats::where::Summary;  // of this file's name: sources are compiled together

constexpr const char* where_file = "where.json";

Table groups_of(const JobSummary& job) {
  Table table{"where",
              "What each rank did",
              {{"ranks", "ranks", Kind::text, Column::nothing, true},
               {"state", "state", Kind::text},
               {"doing", "doing", Kind::text, Column::nothing, true},
               {"place", "place", Kind::text, Column::nothing, true},
               {"longest_s", "since", Kind::seconds, Column::nothing, true}},
              {}};
  for (const formats::where::Group& group : job.groups)
    table.rows.push_back(
        {formats::ranks_text(group.ranks), group.state, group.doing, group.place, known(group.longest)});
  return table;
}

void add_job(const JobSummary& job, Section& section) {
  section.question = Question::waiting;
  section.facts = {{"state", "state", Kind::text, job.state},
                   {"ranks", "ranks", Kind::count, job.ranks == 0 ? Json() : Json(job.ranks)},
                   {"program", "program", Kind::text, job.program}};
  for (const formats::where::Finding& finding : job.findings)
    section.lines.push_back(
        {finding.ranks.empty() ? job.state : formats::named_ranks(finding.ranks), finding.kind, finding.text + "."});
  if (section.lines.empty())
    section.lines.push_back(
        {job.state, "all ranks", "Nothing was found that holds them up; the table shows what they did."});
  section.tables.push_back(groups_of(job));
}

void add(const JobSummary& job, const std::string& part, const std::string& name, Report& report) {
  Section section{"where", 1, part, name, {}, {}, {}, {}};
  add_job(job, section);
  make_whole(section);
  report.sections.push_back(std::move(section));
}

void add_hang(const std::string& folder, const std::string& run, Report& report) try {
  const std::string path = folder + "/" + where_file;
  if (std::filesystem::exists(path))
    add(formats::read_where(parse_result(path, run, formats::where_tag)), "", where_file, report);
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
  add(where::summary_of(job, verdict, places), part, "pages", report);
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
