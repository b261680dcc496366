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

Json items_of(const Table& table, const std::string& label, const std::vector<std::string>& values) {
  Json items = Json::array();
  for (std::size_t row = 0; row < std::min(bars_shown, table.rows.size()); ++row) {
    Json item = {{"label", cell(table, row, label)}};
    for (const std::string& value : values) item["values"].push_back(cell(table, row, value));
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[] = {"text", "number", "count", "bytes", "seconds", "fraction"};
  return names[static_cast<int>(kind)];
}

Json bar_chart(const std::string& title, const Table& table, const std::string& label, const std::string& detail,
               const std::string& value) {
  const std::size_t column = table.find(value);
  if (column == table.columns.size() || table.rows.empty()) return {};
  Json items = items_of(table, label, {value});
  for (std::size_t row = 0; row < items.size() && !detail.empty(); ++row)
    items[row]["detail"] = cell(table, row, detail);
  return {{"type", table.columns[column].change ? "changes" : "bars"},
          {"title", title},
          {"kind", kind_name(table.columns[column].kind)},
          {"items", items}};
}

Json range_chart(const std::string& title, const Table& table, const std::string& label, const std::string& stem) {
  if (table.rows.empty()) return {};
  return {{"type", "ranges"},
          {"title", title},
          {"kind", kind_name(Kind::seconds)},
          {"items", items_of(table, label, {stem + "_min_s", stem + "_mean_s", stem + "_max_s"})}};
}

Json heat_chart(const std::string& title, Kind kind, const Json& rows) {
  return {{"type", "heat"}, {"title", title}, {"kind", kind_name(kind)}, {"rows", rows}};
}

Json histogram_chart(const std::string& title, Kind kind, const Json& series) {
  if (series.empty()) return {};
  return {{"type", "histogram"}, {"title", title}, {"kind", kind_name(kind)}, {"series", series}};
}

}  // namespace cairn::report
