// SPDX-License-Identifier: BSD-3-Clause
// variable_list.cc - lists of variables as tables, and what two of them differ in

#include "cli/settings/variable_list.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "formats/tags.hpp"
#include "formats/vars.hpp"
#include "policy/named_values.hpp"

namespace cairn::cli {

namespace {

struct Part {
  const char* key;
  const char* title;
  std::vector<const char*> columns;  // after the name
};

const std::vector<Part>& parts() {
  static const std::vector<Part> all = {
      {"control_variables", "control variables", {"value", "type", "scope", "binding", "verbosity"}},
      {"performance_variables", "performance variables", {"value", "type", "class", "binding", "verbosity"}},
      {"categories", "categories", {}},
      {"events", "events", {"binding", "verbosity"}},
      {"enumerations", "enumerations", {"items"}}};
  return all;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> words;
  for (const Json& one : value) words.push_back(one.is_object() ? text_of(one.value("name", Json())) : text_of(one));
  return join(words, " ");
}

std::string field(const Json& entry, const char* key) {
  return entry.contains(key) ? text_of(entry[key]) : std::string("-");
}

/// On one line, and no longer than `widest`.
std::string shortened(std::string text, std::size_t widest) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  if (text.size() <= widest) return text;
  std::size_t end = widest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not within a character
  return text.substr(0, end) + "...";
}

std::string first_line(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

std::vector<std::string> row_of(const Part& part, const Json& entry) {
  constexpr std::size_t widest_field = 24;
  constexpr std::size_t widest_items = 80;
  std::vector<std::string> row = {field(entry, "name")};
  for (const char* column : part.columns)
    row.push_back(shortened(field(entry, column), part.columns.size() == 1 ? widest_items : widest_field));
  return row;
}

std::string format_rows(const std::vector<std::vector<std::string>>& rows, const std::vector<std::string>& ends) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) line += fmt::format("  {:<{}}", rows[r][i], widths[i]);
    line += "  " + ends[r];
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string indented(const std::string& heading, const std::string& text) {
  std::string out;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) out += fmt::format("      {:<13} {}\n", out.empty() ? heading : "", line);
  return out;
}

std::string detailed(const Json& entry) {
  std::string out = "  " + field(entry, "name") + "\n";
  for (const auto& [key, value] : entry.items())
    if (key != "name" && !(value.is_array() && value.empty())) out += indented(key, text_of(value));
  return out;
}

std::string part_text(const Part& part, const Json& entries, bool details) {
  constexpr std::size_t widest_description = 60;
  if (entries.empty()) return {};
  std::string out = fmt::format("\n{}: {}\n", part.title, entries.size());
  std::vector<std::vector<std::string>> rows = {{"name"}};
  std::vector<std::string> ends = {entries.front().contains("description") ? "description" : ""};
  rows.front().insert(rows.front().end(), part.columns.begin(), part.columns.end());
  for (const Json& entry : entries) {
    if (details) out += detailed(entry);
    rows.push_back(row_of(part, entry));
    ends.push_back(entry.contains("defect") ? "(" + field(entry, "defect") + ")"
                                            : shortened(entry.value("description", ""), widest_description));
  }
  return details ? out : out + format_rows(rows, ends);
}

/// {1, 2, 3, 7} as "1-3, 7"
std::string ranges(const Json& indices) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    while (end < indices.size() && indices[end].get<int>() == indices[end - 1].get<int>() + 1) ++end;
    out.push_back(end - i == 1 ? indices[i].dump() : indices[i].dump() + "-" + indices[end - 1].dump());
    i = end;
  }
  return join(out, ", ");
}

std::string defects_text(const Json& defects) {
  std::string out;
  for (const Json& defect : defects) {
    const std::string indices = ranges(defect["indices"]);
    out += fmt::format("  of {}{}{}: {}\n", field(defect, "kind"), indices.empty() ? "" : " ", indices,
                       field(defect, "problem"));
  }
  return out.empty() ? "" : "\ndefects of the library, by index\n" + out;
}

std::string heading_of(const Json& list) {
  return fmt::format("{}, {} MPI_Init", first_line(field(list, "mpi")),
                     list.value("after_init", true) ? "after" : "before");
}

/// {"control_variables NAME": entry}
std::map<std::string, Json> by_name(const Json& list) {
  std::map<std::string, Json> entries;
  for (const Part& part : parts())
    for (Json entry : list.value(part.key, Json::array())) {
      entry.erase("index");
      const std::string name = field(entry, "name");
      entries[std::string(part.key) + " " + name] = std::move(entry);
    }
  return entries;
}

/// "control variable", "X" out of a key of by_name().
Json said(const std::string& key) {
  const auto space = key.find(' ');
  return {{"kind", key.substr(0, space)}, {"name", key.substr(space + 1)}};
}

Json changes_between(const Json& a, const Json& b) {
  Json changes = Json::object();
  for (const auto& [key, value] : a.items())
    if (!b.contains(key)) changes[key] = {value, nullptr};
    else if (b[key] != value) changes[key] = {value, b[key]};
  for (const auto& [key, value] : b.items())
    if (!a.contains(key)) changes[key] = {nullptr, value};
  return changes;
}

std::string names_text(const std::string& title, const Json& entries) {
  if (entries.empty()) return {};
  std::string out = fmt::format("\nonly in {}: {}\n", title, entries.size());
  for (const Json& entry : entries) out += fmt::format("  {:<22} {}\n", field(entry, "kind"), field(entry, "name"));
  return out;
}

}  // namespace

const Json* find_named(const Json& entries, const std::string& name) {
  for (const Json& entry : entries)
    if (entry["name"] == name) return &entry;
  return nullptr;
}

Json items_of(const Json& list, const Json& entry) {
  if (entry.contains("enumeration"))
    for (const Json& enumeration : list.value("enumerations", Json::array()))
      if (enumeration["name"] == entry["enumeration"]) return enumeration["items"];
  Json items = Json::array();
  if (const std::string type = field(entry, "type"); type != "int" && type != "unsigned") return items;
  for (const policy::NamedValue& value : policy::documented_values(field(entry, "description")))
    items.push_back({{"name", value.name}, {"value", value.number}});
  return items;
}

std::string kind_of_value(const Json& entry, const Json& items) {
  std::vector<std::string> names;
  for (const Json& item : items) names.push_back(item["name"].get<std::string>());
  const auto type = entry["type"].get<std::string>();
  return names.empty() || type == "bool" ? "a value of type " + type : policy::one_of(names);
}

Json parse_variable_list(const std::string& text, const std::string& from) {
  Json list = Json::parse(text, nullptr, false);
  if (list.is_object() && list.value("format", Json()) == formats::variables_tag.text()) return list;
  throw Problem(from + " is not a list of variables", "cairn vars --json FILE");
}

Json read_variable_list(const std::string& path, const std::string& option) {
  const std::optional<std::string> text = whole_file(path);
  if (!text) throw Problem("'" + path + "' cannot be read", "cairn vars --json FILE", option + " " + path);
  return parse_variable_list(*text, "'" + path + "'");
}

std::string why_no_performance_variables(const Json& list) {
  std::set<std::string> of_tools;
  const Json& categories = list["categories"];
  if (const Json* const cairn = find_named(categories, "cairn"))
    for (const Json& layer : (*cairn)["categories"])
      if (const Json* const category = find_named(categories, layer))
        for (const Json& name : (*category)["performance_variables"]) of_tools.insert(name.get<std::string>());
  for (const Json& entry : list["performance_variables"])
    if (!of_tools.contains(entry["name"].get<std::string>())) return {};
  const std::string mpi = field(list, "mpi");
  return formats::vars::no_variables(mpi.starts_with("MPICH") || mpi.starts_with("MVAPICH"));
}

void keep_matching(Json& list, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return;
  const auto matches = [&](const Json& entry) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), field(entry, "name").c_str(), FNM_CASEFOLD) == 0;
    });
  };
  for (const Part& part : parts()) {
    Json kept = Json::array();
    for (Json& entry : list[part.key])
      if (matches(entry)) kept.push_back(std::move(entry));
    list[part.key] = std::move(kept);
  }
}

std::string variable_text(const Json& list, bool details) {
  std::string out = heading_of(list) + "\n";
  std::string found;
  for (const Part& part : parts()) found += part_text(part, list.value(part.key, Json::array()), details);
  if (found.empty()) found = "\nnothing with this name\n";
  return out + found + defects_text(list.value("defects", Json::array()));
}

Json compare_variables(const Json& a, const Json& b) {
  Json out = {{"format", formats::variables_diff_tag.text()}, {"a", heading_of(a)}, {"b", heading_of(b)}};
  out["only_a"] = out["only_b"] = out["changed"] = Json::array();
  const std::map<std::string, Json> of_a = by_name(a);
  const std::map<std::string, Json> of_b = by_name(b);
  for (const auto& [key, entry] : of_a) {
    const auto other = of_b.find(key);
    if (other == of_b.end()) {
      out["only_a"].push_back(said(key));
    } else if (const Json changes = changes_between(entry, other->second); !changes.empty()) {
      out["changed"].push_back(said(key));
      out["changed"].back()["changes"] = changes;
    }
  }
  for (const auto& [key, entry] : of_b)
    if (!of_a.contains(key)) out["only_b"].push_back(said(key));
  return out;
}

std::string difference_text(const Json& difference) {
  std::string out = fmt::format("A: {}\nB: {}\n", field(difference, "a"), field(difference, "b"));
  out += names_text("A", difference["only_a"]) + names_text("B", difference["only_b"]);
  const Json& changed = difference["changed"];
  if (!changed.empty()) out += fmt::format("\nin both, but not the same: {}\n", changed.size());
  for (const Json& entry : changed) {
    out += fmt::format("  {:<22} {}\n", field(entry, "kind"), field(entry, "name"));
    for (const auto& [key, values] : entry["changes"].items())
      out += fmt::format("      {}: {} -> {}\n", key, shortened(text_of(values[0]), 60),
                         shortened(text_of(values[1]), 60));
  }
  if (changed.empty() && difference["only_a"].empty() && difference["only_b"].empty()) out += "\nno difference\n";
  return out;
}

}  // namespace cairn::cli
