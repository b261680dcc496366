// SPDX-License-Identifier: BSD-3-Clause
// chart.cc - what the page can draw

#include "cli/report/chart.hpp"

#include <algorithm>

namespace cairn::report {

namespace {

constexpr std::size_t bars_shown = 12;

const Json& cell(const Table& table, std::size_t row, const std::string& key) {
  static const Json nothing;
  const std::size_t column = table.find(key);
  return column == table.columns.size() ? nothing : table.rows[row][column];
}

bool is_something(const Json& value) { return value.is_number() && value != 0; }

/// The first rows in which there is something to draw.
Json items_of(const Table& table, const std::string& label, const std::string& detail,
              const std::vector<std::string>& values) {
  Json items = Json::array();
  for (std::size_t row = 0; row < table.rows.size() && items.size() < bars_shown; ++row) {
    Json item = {{"label", cell(table, row, label)}, {"values", Json::array()}};
    for (const std::string& value : values) item["values"].push_back(cell(table, row, value));
    if (std::ranges::none_of(item["values"], is_something)) continue;
    if (!detail.empty()) item["detail"] = cell(table, row, detail);
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[] = {"text", "number", "count", "bytes", "seconds", "fraction", "relative"};
  return names[static_cast<int>(kind)];
}

Json bar_chart(const std::string& title, const Table& table, const std::string& label, const std::string& detail,
               const std::string& value) {
  const std::size_t column = table.find(value);
  if (column == table.columns.size()) return {};
  Json items = items_of(table, label, detail, {value});
  if (items.empty()) return {};
  return {{"type", table.columns[column].change ? "changes" : "bars"},
          {"title", title},
          {"kind", kind_name(table.columns[column].kind)},
          {"items", std::move(items)}};
}

Json range_chart(const std::string& title, const Table& table, const std::string& label, const std::string& stem) {
  Json items = items_of(table, label, "", {stem + "_min_s", stem + "_mean_s", stem + "_max_s"});
  if (items.empty()) return {};
  return {{"type", "ranges"}, {"title", title}, {"kind", kind_name(Kind::seconds)}, {"items", std::move(items)}};
}

Json heat_chart(const std::string& title, Kind kind, const Json& rows) {
  Json shown = Json::array();
  for (const Json& row : rows)
    if (std::ranges::any_of(row.at("values"), is_something)) shown.push_back(row);
  if (shown.empty()) return {};
  return {{"type", "heat"}, {"title", title}, {"kind", kind_name(kind)}, {"rows", std::move(shown)}};
}

Json histogram_chart(const std::string& title, Kind kind, const Json& series) {
  if (series.empty()) return {};
  return {{"type", "histogram"}, {"title", title}, {"kind", kind_name(kind)}, {"series", series}};
}

}  // namespace cairn::report
