// SPDX-License-Identifier: BSD-3-Clause
// overview.cc - the overview of a run, and of two that are compared

#include "cli/report/overview.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "cli/report/efficiency.hpp"
#include "cli/report/section.hpp"

namespace cairn::report {

namespace {

using advise::Advice;

/// The table that has what a finding is made of, by the kind of its records or, of findings on the run, of its own.
std::string_view evidence_of(const Advice& advice) {
  static const std::map<std::string_view, std::string_view> tables = {{"cause", "wait_causes"},
                                                                      {"site", "callsites"},
                                                                      {"call", "functions"},
                                                                      {"pair", "pairs"},
                                                                      {"pattern", "pairs"},
                                                                      {"variable", "variables"},
                                                                      {"placement", "pairs"},
                                                                      {"transport", "pairs"},
                                                                      {"other_load", over_ranks_table},
                                                                      {"too_many_ranks", over_ranks_table}};
  if (const auto found = tables.find(advice.record.empty() ? advice.kind : advice.record); found != tables.end())
    return found->second;
  return advice.record.empty() && !advice.file.empty() ? "callsites" : "";
}

bool has_table(const Report& report, std::string_view name) {
  return std::ranges::any_of(report.sections, [&](const Section& section) {
    return std::ranges::any_of(section.tables, [&](const Table& t) { return t.name == name && !t.rows.empty(); });
  });
}

void find_evidence(const Report& report, Finding& finding) {
  const std::string_view table = evidence_of(finding.advice);
  if (has_table(report, table)) finding.evidence = table;
}

/// What makes two runs' findings the same one. Lines move as a program is changed.
using Identity = std::tuple<std::string, std::string, std::string>;
Identity identity_of(const Advice& advice) {
  return {advice.title, std::string(file_of(advice.file)), advice.function};
}

double greatest(const Finding& finding) {
  const auto or_zero = [](double seconds) { return std::isnan(seconds) ? 0 : seconds; };
  return std::max(finding.in == "A" ? 0 : or_zero(finding.advice.cost_s), or_zero(finding.before_s));
}

/// Those of one run alone, too.
std::vector<Finding> merged(const Report& a, const Report& b) {
  std::vector<Finding> findings = b.overview.findings;
  for (Finding& finding : findings) finding.in = "B";
  for (const Finding& before : a.overview.findings) {
    const auto same = std::ranges::find_if(findings, [&](const Finding& one) {
      return one.in == "B" && identity_of(one.advice) == identity_of(before.advice);
    });
    const bool is_gone = same == findings.end();
    Finding& finding = is_gone ? findings.emplace_back(before) : *same;
    finding.in = is_gone ? "A" : "both";
    finding.before_s = before.advice.cost_s;
  }
  std::ranges::stable_sort(findings, std::greater<>(), greatest);
  return findings;
}

}  // namespace

void add_overview(const std::string& folder, Report& report) {
  Overview& overview = report.overview;
  overview.efficiency = efficiency_of(report);
  for (const Section& section : report.sections)
    if (!section.strips.is_null() && section.part.empty() && overview.strips.empty())
      overview.strips.push_back(section.strips);
  try {
    const policy::Policy rules = policy::parse_policy(advise::built_in_rules(), "built-in rules");
    const advise::Result result = find_advice(rules, advise::read_records(folder), advise::findings_shown);
    overview.is_advised = true;
    overview.not_checked = not_checked(result);
    for (const Advice& advice : result.advice) {
      Finding& finding = overview.findings.emplace_back();
      finding.advice = advice;
      find_evidence(report, finding);
    }
  } catch (const Problem&) {
    // The results have been read already, and what is wrong with them is reported.
  }
}

void compare_overviews(const Report& a, const Report& b, Report& report) {
  Overview& overview = report.overview;
  overview.efficiency = compare_efficiency(a, b);
  overview.is_advised = a.overview.is_advised && b.overview.is_advised;
  if (overview.is_advised) overview.findings = merged(a, b);
  for (Finding& finding : overview.findings) {
    finding.evidence.clear();
    find_evidence(report, finding);
  }
  for (const auto& [run, name] : {std::pair(&a, "A"), std::pair(&b, "B")})
    for (Json chart : run->overview.strips) {
      chart["title"] = chart["title"].get<std::string>() + ", " + name;
      overview.strips.push_back(std::move(chart));
    }
}

}  // namespace cairn::report
