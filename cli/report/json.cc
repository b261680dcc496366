// SPDX-License-Identifier: BSD-3-Clause
// json.cc - a report for programs

#include <algorithm>
#include <span>

#include "cli/report/chart.hpp"
#include "cli/report/writing.hpp"
#include "formats/tags.hpp"

namespace cairn::report {

namespace {

Json to_json(const Table& table, std::size_t most_rows) {
  Json out = {{"title", table.title}, {"columns", Json::array()}, {"rows", Json::array()}};
  if (table.question) out["question"] = key_of(*table.question);
  for (const Column& column : table.columns) {
    Json description = {{"key", column.key}, {"title", column.title}, {"kind", kind_name(column.kind)}};
    if (column.brief) description["brief"] = true;
    if (column.change) description["change"] = true;
    out["columns"].push_back(std::move(description));
  }
  const std::size_t rows = std::min(most_rows, table.rows.size());
  if (rows < table.rows.size()) out["left_out"] = table.rows.size() - rows;
  for (const std::vector<Json>& row : std::span(table.rows).first(rows)) {
    Json entry = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!row[i].is_null()) entry[table.columns[i].key] = row[i];
    out["rows"].push_back(std::move(entry));
  }
  return out;
}

Json to_json(const Section& section, std::size_t most_rows) {
  Json out = {{"tool", section.tool},
              {"instance", section.instance},
              {"file", section.file},
              {"question", key_of(section.question)}};
  if (!section.part.empty()) out["part"] = section.part;
  out["facts"] = Json::object();
  for (const Fact& fact : section.facts) out["facts"][fact.key] = fact.value;
  out["lines"] = Json::array();
  for (const Line& line : section.lines) {
    out["lines"].push_back({{"figure", line.figure}, {"subject", line.subject}, {"sentence", line.sentence}});
    if (line.question) out["lines"].back()["question"] = key_of(*line.question);
  }
  out["tables"] = Json::object();
  for (const Table& table : section.tables) out["tables"][table.name] = to_json(table, most_rows);
  return out;
}

}  // namespace

Json to_json(const Report& report, std::size_t most_rows) {
  Json out = {{"format", formats::report_tag.text()}, {"title", report.title}, {"run", Json::object()}};
  for (const auto& [name, value] : report.heading) out["run"][name] = value;
  out["warnings"] = Json::array();
  for (const Problem& warning : report.warnings) out["warnings"].push_back(warning.what());
  put_overview(report, out);
  out["sections"] = Json::array();
  for (const Section& section : report.sections) out["sections"].push_back(to_json(section, most_rows));
  return out;
}

std::string json_text(const Report& report) {
  return to_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cairn::report
