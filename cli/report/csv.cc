// SPDX-License-Identifier: BSD-3-Clause
// csv.cc - tables as in RFC 4180: CR LF, quotes where needed

#include <fmt/format.h>
#include <algorithm>

#include "cli/report/efficiency.hpp"
#include "cli/report/writing.hpp"

namespace cairn::report {

namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string field(const Json& value) {
  if (value.is_null()) return {};
  return quoted(value.is_string() ? value.get<std::string>() : value.dump());
}

std::string csv_of(const Table& table) {
  std::string out;
  const auto end_line = [&] { out.replace(out.size() - 1, 1, "\r\n"); };
  for (const Column& column : table.columns) out += quoted(column.key) + ",";
  end_line();
  for (const std::vector<Json>& row : table.rows) {
    for (const Json& value : row) out += field(value) + ",";
    end_line();
  }
  return out;
}

/// Names come from files: keeps only what is safe in a file name.
std::string file_name(const Section& section, const Table& table) {
  std::string name;
  for (const char c : table.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '-';
  if (section.instance != 1) name += fmt::format(".{}", section.instance);
  if (!section.part.empty()) name += "." + section.part;
  std::ranges::replace(name, ' ', '-');
  return name + ".csv";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> csv_files(const Report& report) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const Section& section : report.sections)
    for (const Table& table : section.tables)
      if (!table.columns.empty()) files.emplace_back(file_name(section, table), csv_of(table));
  if (!report.overview.efficiency.empty())
    files.emplace_back("efficiency.csv", csv_of(efficiency_table(report.overview.efficiency)));
  return files;
}

}  // namespace cairn::report
