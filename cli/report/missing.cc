// SPDX-License-Identifier: BSD-3-Clause
// missing.cc - why results are missing, as far as the folder tells

#include "cli/report/missing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/report/wording.hpp"
#include "formats/ending.hpp"

namespace cairn::report {

using formats::run::Gap;

int asked_for(const formats::run::Summary& run, std::string_view tool) {
  return static_cast<int>(std::ranges::count(run.tools, tool, &formats::run::Layer::tool));
}

namespace {

bool was_never_loaded(const formats::run::Summary& run, std::string_view tool, int instance) {
  return std::ranges::any_of(run.missing, [&](const Gap& gap) {
    return gap.everywhere && gap.tool == tool && gap.instance == static_cast<std::uint32_t>(instance);
  });
}

/// Its policy may come from the page of `cairn live`, or never.
bool has_no_policy_yet(const formats::run::Layer& layer) {
  return layer.tool == "policy" &&
         std::ranges::none_of(layer.options, [](const auto& option) { return option.first == "file"; });
}

}  // namespace

bool owes_results(const formats::run::Summary& run, std::string_view tool, int instance) {
  if (was_never_loaded(run, tool, instance)) return false;
  const auto is_same = [&](const formats::run::Layer& layer) { return layer.tool == tool && --instance == 0; };
  const auto layer = std::ranges::find_if(run.tools, is_same);
  return layer == run.tools.end() || !has_no_policy_yet(*layer);
}

Problem missing_file(const std::string& path) {
  return Problem(
      "'" + path + "' is missing: the run ended before the tool wrote it, could not write it, or is still running",
      "a run that reaches MPI_Finalize and may write into its folder");
}

Problem missing_file(const std::string& path, std::span<const Section> parts, std::size_t count) {
  const std::string ranks = plural(count, "rank");
  if (!parts.empty() && std::ranges::all_of(parts, formats::could_not_gather, &Section::ended_by))
    return Problem("'" + path +
                       "' is missing: the ranks could not gather their results when MPI ended; the report shows what " +
                       ranks + " left",
                   "the warning of the run itself, which tells why");
  return Problem("'" + path +
                     "' is missing: the run did not reach MPI_Finalize, or is still running; the report shows what " +
                     ranks + " left",
                 "a run that reaches MPI_Finalize");
}

namespace {

Problem problem_of(const Gap& gap) {
  const std::string numbers = harmless(gap.ranks);
  const std::string ranks = (numbers.find_first_of("-,") == std::string::npos ? "rank " : "ranks ") + numbers;
  if (gap.tool.empty())
    return Problem(ranks + " ran without Cairn: results are those of the other ranks",
                   "'cairn run' in every part of the job");
  const std::string tool = harmless(gap.tool);
  const std::string number = gap.instance > 1 ? fmt::format(" #{}", gap.instance) : "";
  if (gap.everywhere)
    return Problem(
        fmt::format("no rank had '{}'{}: it could not be loaded, so there are no results of it", file_of(tool), number),
        "'cairn check' with this tool, which tells why");
  return Problem(
      fmt::format("{} had no '{}'{}: its results are those of the other ranks", ranks, file_of(tool), number),
      "the same tools in every part of the job");
}

}  // namespace

void warn_of_gaps(const formats::run::Summary& run, Report& report) {
  for (const Gap& gap : run.missing) report.warnings.push_back(problem_of(gap));
}

void check_loaded(const formats::run::Summary& run) {
  const auto found = std::ranges::find_if(run.missing, &Gap::everywhere);
  if (found == run.missing.end()) return;
  const Problem problem = problem_of(*found);
  throw Problem(std::string("no report: ") + problem.what(), problem.remedy);
}

}  // namespace cairn::report
