// SPDX-License-Identifier: BSD-3-Clause
// entries.cc - arrays of JSON objects as tables

#include "cli/report/entries.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace cairn::report {

namespace {

std::string joined(const std::string& key, const std::string& inner) {
  if (key.ends_with("_s")) return key.substr(0, key.size() - 2) + "_" + inner + "_s";
  return key + "_" + inner;
}

Column unknown_column(const std::string& key, const Json& value) {
  const Kind kind = kind_of(key, value);
  Column column{key, title_of(key), kind};
  if (value.is_string()) column.in_comparison = Column::tells_apart;
  else if (kind != Kind::number && kind != Kind::fraction) column.in_comparison = Column::sum;
  return column;
}

/// A first table with columns nobody has chosen shows some of them where there is little room.
void choose_brief(std::vector<Column>& columns) {
  constexpr std::size_t enough = 6;
  if (std::any_of(columns.begin(), columns.end(), [](const Column& c) { return c.brief; })) return;
  for (std::size_t i = 0; i < std::min(enough, columns.size()); ++i) columns[i].brief = true;
}

}  // namespace

Json flatten(const Json& object) {
  Json out = Json::object();
  for (const auto& [key, value] : object.items()) {
    if (value.is_array()) continue;
    if (!value.is_object()) out[key] = value;
    else
      for (const auto& [inner, scalar] : value.items())
        if (!scalar.is_structured()) out[joined(key, inner)] = scalar;
  }
  return out;
}

Kind kind_of(const std::string& key, const Json& value) {
  if (!value.is_number()) return Kind::text;
  if (key.ends_with("_s")) return Kind::seconds;
  if (key.find("bytes") != std::string::npos) return Kind::bytes;
  if (key.ends_with("_share") || key.find("imbalance") != std::string::npos) return Kind::fraction;
  if (key.find("calls") != std::string::npos || key.find("messages") != std::string::npos) return Kind::count;
  return Kind::number;
}

std::string title_of(const std::string& key) {
  std::string title = key.ends_with("_s") ? key.substr(0, key.size() - 2) : key;
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

Table table_of(const std::string& name, const std::string& title, const Json& entries,
               const std::vector<Column>& known) {
  Table table{name, title, {}, {}};
  std::vector<Json> flat;
  if (entries.is_array())
    for (const Json& entry : entries)
      if (entry.is_object()) flat.push_back(flatten(entry));
  for (const Column& column : known)
    if (std::any_of(flat.begin(), flat.end(), [&](const Json& e) { return e.contains(column.key); }))
      table.columns.push_back(column);
  for (const Json& entry : flat)
    for (const auto& [key, value] : entry.items())
      if (table.find(key) == table.columns.size()) table.columns.push_back(unknown_column(key, value));
  choose_brief(table.columns);
  for (const Json& entry : flat) {
    std::vector<Json>& row = table.rows.emplace_back();
    for (const Column& column : table.columns) row.push_back(at(entry, column.key));
  }
  return table;
}

const Json& at(const Json& object, const std::string& key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

double number_at(const Json& object, const std::string& key) {
  const Json& value = at(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

std::string text_at(const Json& object, const std::string& key) {
  const Json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::string place_of(const formats::SourcePosition& place) {
  const std::string text = formats::place_text(place);
  return text.empty() ? "other places" : text;
}

void add_end(const formats::Part& part, std::vector<Line>& lines) {
  if (part.is_of_running())
    lines.push_back({part.ended_by, fmt::format("rank {} at its last MPI_Pcontrol(2)", part.rank),
                     "What follows was recorded up to then."});
  else if (part.is_one())
    lines.push_back({part.ended_by, fmt::format("ended rank {}", part.rank), "What follows was recorded up to then."});
}

}  // namespace cairn::report
