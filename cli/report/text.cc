// SPDX-License-Identifier: BSD-3-Clause
// text.cc - a report for the terminal

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/wording.hpp"
#include "cli/report/writing.hpp"

namespace cairn::report {

namespace {

constexpr std::size_t widest_name = 44;
constexpr std::size_t rows_in_text = 50'000;  // nobody reads more; the CSV files have all

std::string spaces(std::size_t number) { return std::string(number, ' '); }

/// Truncated to `most` characters, ending in "...".
std::string cut(const std::string& text, std::size_t most) {
  if (width(text) <= most) return text;
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end)
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && ++characters > most - 3) break;
  return text.substr(0, end) + "...";
}

std::string padded(const std::string& text, std::size_t to, bool left) {
  const std::string rest = spaces(to > width(text) ? to - width(text) : 0);
  return left ? text + rest : rest + text;
}

std::string heading_text(const Report& report) {
  std::string out = report.title + "\n";
  for (const auto& [name, value] : report.heading) out += fmt::format("  {:<9}{}\n", name, value);
  return out;
}

/// The figure and its subject, and on the next lines what it means.
std::string line_text(const Line& line) {
  constexpr std::size_t figure_width = 10;
  return padded(harmless(line.figure), figure_width, false) + "  " + harmless(line.subject) + "\n" +
         wrapped(harmless(line.sentence), figure_width + 4);
}

struct Grid {
  std::vector<std::vector<std::string>> lines;  // the titles first
  std::vector<std::size_t> widths;
};

Grid grid_of(const Table& table, const std::vector<std::size_t>& shown) {
  Grid grid;
  std::vector<std::string>& titles = grid.lines.emplace_back();
  for (const std::size_t column : shown) titles.push_back(cut(harmless(table.columns[column].title), widest_name));
  for (std::size_t row = 0; row < std::min(rows_in_text, table.rows.size()); ++row) {
    std::vector<std::string>& line = grid.lines.emplace_back();
    for (const std::size_t column : shown) {
      const Column& what = table.columns[column];
      line.push_back(cut(value_text(what.kind, table.rows[row][column], what.change), widest_name));
    }
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::size_t most = 0;
    for (const auto& line : grid.lines) most = std::max(most, width(line[i]));
    grid.widths.push_back(most);
  }
  return grid;
}

std::string table_text(const Table& table) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].brief) shown.push_back(i);
  const Grid grid = grid_of(table, shown);
  std::string out = "\n" + harmless(table.title) + "\n";
  for (const auto& line : grid.lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i)
      text += "  " + padded(line[i], grid.widths[i], table.columns[shown[i]].kind == Kind::text);
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  if (table.rows.size() > rows_in_text)
    out += fmt::format("  {} more are not shown, 'cairn report --csv' has them\n",
                       count(table.rows.size() - rows_in_text));
  return out;
}

/// Of a section, what answers the question.
std::string answer_text(const Section& section, Question question, bool with_tables) {
  std::string out;
  for (const Line& line : section.lines)
    if (line.question.value_or(section.question) == question) out += line_text(line);
  for (const Table& table : section.tables)
    if (with_tables && !table.rows.empty() && table.question.value_or(section.question) == question)
      out += table_text(table);
  return out;
}

std::string text_of(const Report& report, bool with_tables) {
  std::string out = heading_text(report);
  for (const Problem& warning : report.warnings)
    if (with_tables) out += wrapped(std::string("note: ") + warning.what(), 2);
  out += overview_text(report);
  for (const Question question : questions)
    for (const Section& section : report.sections)
      if (const std::string text = answer_text(section, question, with_tables); !text.empty())
        out += fmt::format("\n{} ({})\n{}", title_of(question), name_of(section), text);
  return out;
}

}  // namespace

std::string summary_text(const Report& report) { return text_of(report, false); }

std::string full_text(const Report& report) { return text_of(report, true); }

}  // namespace cairn::report
