// SPDX-License-Identifier: BSD-3-Clause
// overview_output.cc - the overview as text and as JSON

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/report/section.hpp"
#include "cli/report/wording.hpp"
#include "formats/text.hpp"

namespace cairn::report {

namespace {

constexpr std::size_t findings_in_text = 5;

std::string place_text(const advise::Advice& advice) {
  formats::SourcePosition place;
  place.file = advice.file;
  place.line = advice.line;
  place.caller = advice.function;
  const std::string text = formats::place_text(place);
  return text.empty() ? text : ", " + text;
}

std::string figure_text(double value) { return std::isnan(value) ? "unknown" : percent(value); }

std::string change_text(const Efficiency& one) {
  return std::isnan(one.value) || std::isnan(one.before)
             ? ""
             : fmt::format("{:+.1f} points", 100 * (one.value - one.before));
}

std::string efficiency_text(const Overview& overview, bool is_comparison) {
  if (overview.efficiency.empty()) return {};
  std::string out = is_comparison ? "\nefficiency in A, in B, and the change\n" : "\nefficiency\n";
  for (const Efficiency& one : overview.efficiency) {
    const std::string name = std::string(static_cast<std::size_t>(2 * one.depth), ' ') + std::string(one.title);
    const std::string_view why = std::isnan(one.value) ? one.unknown : one.meaning;
    if (is_comparison)
      out += fmt::format("{:>10}{:>10}  {:>12}  {}\n", figure_text(one.before), figure_text(one.value),
                         change_text(one), name);
    else out += fmt::format("{:>10}  {:<30}{}\n", figure_text(one.value), name, why);
  }
  return out;
}

/// "1.54 s in A, 0.20 s in B"
std::string both_costs(const Finding& finding) {
  const auto cost = [](double of) { return std::isnan(of) ? std::string("not known") : seconds(of); };
  if (finding.in == "A") return "cost: " + cost(finding.before_s) + " in A, not found in B";
  if (finding.in == "B") return "cost: " + cost(finding.advice.cost_s) + " in B, not found in A";
  return fmt::format("cost: {} in A, {} in B", cost(finding.before_s), cost(finding.advice.cost_s));
}

std::string finding_text(const Finding& finding, std::size_t number) {
  constexpr std::size_t indent = 5;
  const advise::Advice& advice = finding.advice;
  std::string out = fmt::format("  {}. {}{}\n", number, harmless(advice.title), harmless(place_text(advice)));
  if (!finding.in.empty()) return out + wrapped(both_costs(finding), indent);
  for (const std::string& line : figures_of(advice)) out += wrapped(line, indent);
  out += wrapped("why:  " + harmless(advice.evidence), indent, indent + 6);
  out += wrapped("do:   " + harmless(advice.remedy), indent, indent + 6);
  if (const std::string command = command_of(advice); !command.empty())
    out += std::string(indent + 6, ' ') + harmless(command) + "\n";
  return out;
}

std::string findings_text(const Overview& overview) {
  if (!overview.is_advised) return {};
  std::string out = "\nfindings\n";
  if (overview.findings.empty()) return out + "  none that costs 2 % of the run\n";
  const std::size_t shown = std::min(findings_in_text, overview.findings.size());
  for (std::size_t i = 0; i < shown; ++i) out += finding_text(overview.findings[i], i + 1);
  if (shown < overview.findings.size())
    out += fmt::format("  and {} more: 'cairn advise', or the page\n", overview.findings.size() - shown);
  return out;
}

bool is_comparison(const Overview& overview) {
  return std::ranges::any_of(overview.efficiency,
                             [](const Efficiency& one) { return one.key == "computation_scalability"; }) ||
         std::ranges::any_of(overview.findings, [](const Finding& one) { return !one.in.empty(); });
}

}  // namespace

std::string overview_text(const Report& report) {
  return efficiency_text(report.overview, is_comparison(report.overview)) + findings_text(report.overview);
}

void put_overview(const Report& report, Json& out) {
  const Overview& overview = report.overview;
  const bool of_two = is_comparison(overview);
  out["efficiency"] = Json::object();
  for (const Efficiency& one : overview.efficiency) {
    const std::string key(one.key);
    if (of_two) out["efficiency"][key + "_a"] = known(one.before);
    out["efficiency"][of_two ? key + "_b" : key] = known(one.value);
  }
  out["findings"] = Json::array();
  for (const Finding& finding : overview.findings) {
    Json one = advice_json(finding.advice);
    one["table"] = finding.evidence.empty() ? Json() : Json(finding.evidence);
    if (!finding.in.empty()) {
      one["in"] = finding.in;
      one["cost_a_s"] = known(finding.before_s);
      one["cost_b_s"] = finding.in == "A" ? Json() : known(finding.advice.cost_s);
    }
    out["findings"].push_back(std::move(one));
  }
}

}  // namespace cairn::report
