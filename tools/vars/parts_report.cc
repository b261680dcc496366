// SPDX-License-Identifier: BSD-3-Clause
// parts_report.cc - lines and JSON of objects and elements

#include "parts_report.hpp"

#include <algorithm>

#include "figures_report.hpp"

namespace vars {

using namespace formats;

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

void write_object(JsonWriter& json, const VariableSummary& variable, const PartSummary& part) {
  json.object("object", [&] {
    json("kind", variable.binding);
    json("name", part.object);
    if (!part.processes.empty()) json("processes", part.processes);
  });
  json("objects", part.objects);
}

void write_part(JsonWriter& json, const VariableSummary& variable, const PartSummary& part) {
  json.object([&] {
    json("variable", part.variable);
    json("class", part.of_class);
    if (variable.binding != "none") write_object(json, variable, part);
    if (part.element >= 0) json("element", part.element);
    json("read", part.samples);
    json("changed", part.changed);
    if (part.samples != 0) write_figures(json, variable, part);
    if (is_sum_of_changes(variable.way)) json.number("elsewhere", part.elsewhere);
  });
}

/// One row of the table.
std::string line(const Piece& variable, const Piece& of_class, const Piece& object, const Piece& element,
                 const Piece& read, const Piece& changed, const Piece& what) {
  return cat({"  ", left(variable, 36), " ", left(of_class, 13), " ", left(object, 39), " ", right(element, 7), " ",
              right(read, 9), " ", right(changed, 9), "  ", what, "\n"});
}

}  // namespace

std::string parts_table(const Summary& summary, unsigned top) {
  const std::vector<const PartSummary*> rows = first_of_each(summary);
  if (rows.empty()) return {};
  std::string out = line("variable", "class", "object", "element", "read", "changed", "what");
  const std::size_t shown = std::min<std::size_t>(top, rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const PartSummary& part = *rows[i];
    out += line(part.variable, part.of_class, object_text(part), part.element < 0 ? "" : std::to_string(part.element),
                part.samples, part.changed, part.samples == 0 ? "" : what(variable_of(summary, part), part));
  }
  if (shown < summary.parts.size())
    out += cat({"  ", summary.parts.size() - shown, " more objects and elements in the file\n"});
  return out;
}

void write_parts(JsonWriter& json, const Summary& summary) {
  if (summary.parts.empty()) return;
  json.array("parts", ordered(summary),
             [&](const PartSummary* part) { write_part(json, variable_of(summary, *part), *part); });
}

}  // namespace vars
