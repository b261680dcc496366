// SPDX-License-Identifier: BSD-3-Clause
// parts_report.cc - lines and JSON of objects and elements

#include "parts_report.hpp"

#include <algorithm>

#include "figures_report.hpp"

namespace vars {

namespace {

constexpr std::size_t rows_each = 3;  // of a variable, on the terminal

std::vector<const PartSummary*> ordered(const Summary& summary) {
  std::vector<const PartSummary*> rows;
  for (const auto& [key, part] : summary.parts) rows.push_back(&part);
  std::ranges::stable_sort(rows,
                           [](const PartSummary* one, const PartSummary* other) { return moved_more(*one, *other); });
  return rows;
}

/// Those of each variable that changed most, in order.
std::vector<const PartSummary*> first_of_each(const Summary& summary) {
  std::vector<const PartSummary*> rows;
  std::size_t of_this = 0;
  for (const PartSummary* part : ordered(summary)) {
    of_this = rows.empty() || rows.back()->variable != part->variable ? 1 : of_this + 1;
    if (of_this <= rows_each) rows.push_back(part);
  }
  return rows;
}

/// "rows of 0-3": as much as there is of it.
std::string object_text(const PartSummary& part) {
  if (part.processes.empty()) return part.object;
  return part.object + (part.object.empty() ? "of " : " of ") + part.processes;
}

Json to_json(const VariableSummary& variable, const PartSummary& part) {
  Json out = {{"variable", part.variable}, {"class", part.of_class}};
  if (variable.binding != "none") {
    out["object"] = {{"kind", variable.binding}, {"name", part.object}};
    if (!part.processes.empty()) out["object"]["processes"] = part.processes;
    out["objects"] = part.objects;
  }
  if (part.element >= 0) out["element"] = part.element;
  out["read"] = part.samples;
  out["changed"] = part.changed;
  if (part.samples != 0) add_figures(variable, part, out);
  if (is_sum_of_changes(variable.way)) out["elsewhere"] = number_json(part.elsewhere);
  return out;
}

}  // namespace

std::string parts_table(const Summary& summary, unsigned top) {
  const std::vector<const PartSummary*> rows = first_of_each(summary);
  if (rows.empty()) return {};
  std::string out = fmt::format("  {:<36} {:<13} {:<39} {:>7} {:>9} {:>9}  {}\n", "variable", "class", "object",
                                "element", "read", "changed", "what");
  for (std::size_t i = 0; i < std::min<std::size_t>(top, rows.size()); ++i) {
    const PartSummary& part = *rows[i];
    out += fmt::format("  {:<36} {:<13} {:<39} {:>7} {:>9} {:>9}  {}\n", part.variable, part.of_class,
                       object_text(part), part.element < 0 ? "" : std::to_string(part.element), part.samples,
                       part.changed, part.samples == 0 ? "" : what(variable_of(summary, part), part));
  }
  const std::size_t shown = std::min<std::size_t>(top, rows.size());
  if (shown < summary.parts.size())
    out += fmt::format("  {} more objects and elements in the file\n", summary.parts.size() - shown);
  return out;
}

Json parts_json(const Summary& summary) {
  Json out = Json::array();
  for (const PartSummary* part : ordered(summary)) out.push_back(to_json(variable_of(summary, *part), *part));
  return out;
}

}  // namespace vars
