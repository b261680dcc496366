// SPDX-License-Identifier: BSD-3-Clause
// compare_lines.cc - how two runs differ: totals, the largest changes, what only one of them has

#include "cli/report/compare_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/wording.hpp"

namespace cairn::report {

namespace {

constexpr std::size_t rows_named = 3;

std::string relative(double before, double change) {
  if (before == 0) return "new";
  return value_text(Kind::relative, change / before, true);
}

/// A share changes by points: 10 % to 12 % is 2 points, not 20 %.
std::string figure_of(Kind kind, double before, double change) {
  if (kind != Kind::fraction) return relative(before, change);
  return fmt::format("{:+.1f} points", 100 * change);
}

void add_totals(const Section& section, std::vector<Line>& lines) {
  for (std::size_t i = 2; i < section.facts.size(); ++i) {
    const Fact& fact = section.facts[i];
    if (!fact.headline) continue;
    const Fact& before = section.facts[i - 2];
    const Fact& after = section.facts[i - 1];
    if (before.value == 0 && after.value == 0) continue;
    lines.push_back(
        {figure_of(fact.kind, before.value.get<double>(), fact.value.get<double>()), fact.title,
         fmt::format("{} in A, {} in B.", value_text(before.kind, before.value), value_text(after.kind, after.value))});
  }
}

/// The row's keys, numbers with what they are: "MPI_Waitall, heat3d.c:280 exchange_halo"; "from 4 to 0"
std::string subject_of(const Table& table, const std::vector<Json>& row) {
  std::string out;
  bool after_number = false;
  for (std::size_t i = 0; i < table.columns.size() && table.columns[i].key != "in"; ++i) {
    const std::string key = value_text(Kind::text, row[i]);
    if (key.empty()) continue;
    const bool is_number = table.columns[i].kind != Kind::text;
    if (!out.empty()) out += after_number && is_number ? " " : ", ";
    out += is_number ? table.columns[i].title + " " + key : key;
    after_number = is_number;
  }
  return out;
}

std::string calls_text(const Table& table, const std::vector<Json>& row) {
  const std::size_t a = table.find("calls_a");
  const std::size_t b = table.find("calls_b");
  if (a >= row.size() || b >= row.size() || row[a].is_null() || row[b].is_null()) return {};
  const std::string before = value_text(Kind::count, row[a]);
  const std::string after = value_text(Kind::count, row[b]);
  return before == after ? " " + before + " calls in both." : " " + before + " calls became " + after + ".";
}

/// The columns after "in" are the measure in A, in B, and the change.
Line line_of(const Table& table, const std::vector<Json>& row) {
  const std::size_t in = table.find("in");
  const Column& measure = table.columns[in + 1];
  const std::string where = row[in].get<std::string>();
  const std::string a = value_text(measure.kind, row[in + 1]);
  const std::string b = value_text(measure.kind, row[in + 2]);
  std::string sentence = "Only in " + where + ": " + (where == "A" ? a : b) + ".";
  if (where == "both")
    sentence = fmt::format("{} in A, {} in B{}.{}", a, b,
                           row[in + 4].is_number() ? " (" + value_text(Kind::relative, row[in + 4], true) + ")" : "",
                           calls_text(table, row));
  return {value_text(measure.kind, row[in + 3], true), subject_of(table, row), sentence};
}

void add_changes(const Table& table, std::vector<Line>& lines) {
  const std::size_t change = table.find("in") + 3;
  for (std::size_t i = 0; i < std::min(rows_named, table.rows.size()); ++i)
    if (table.rows[i][change].is_number() && table.rows[i][change] != 0) lines.push_back(line_of(table, table.rows[i]));
}

void add_lonely(const Table& table, std::vector<Line>& lines) {
  const std::size_t in = table.find("in");
  for (const char* run : {"A", "B"}) {
    std::string sentence;
    std::size_t rows = 0;
    for (const std::vector<Json>& row : table.rows)
      if (row[in] == run && ++rows <= rows_named) sentence += (rows == 1 ? "" : "; ") + subject_of(table, row);
    if (rows == 0) continue;
    sentence += rows > rows_named ? "; …" : "";
    lines.push_back({count(rows), std::string("of '") + table.title + "' only in " + run, sentence});
  }
}

}  // namespace

std::vector<Line> comparison_lines(const Section& section) {
  std::vector<Line> lines;
  add_totals(section, lines);
  for (const Table& table : section.tables) add_changes(table, lines);
  for (const Table& table : section.tables) add_lonely(table, lines);
  return lines;
}

}  // namespace cairn::report
