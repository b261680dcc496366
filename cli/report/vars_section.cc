// SPDX-License-Identifier: BSD-3-Clause
// vars_section.cc - vars.json as a section: what calls did to performance variables

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"

namespace cairn::report {

namespace {

std::vector<Fact> facts_of(const Json& file) {
  const double calls = number_at(file, "calls");
  const double run = number_at(at(file, "run_time_s"), "total");
  std::vector<Fact> facts = {{"ranks", "ranks", Kind::number, at(file, "ranks")},
                             {"calls", "calls", Kind::count, at(file, "calls")},
                             {"calls_read", "calls that were read", Kind::count, at(file, "calls_read")}};
  if (calls > 0)
    facts.push_back(
        {"read_share", "share of calls that were read", Kind::fraction, number_at(file, "calls_read") / calls});
  if (run > 0)
    facts.push_back({"reading_share", "share of reading in the run", Kind::fraction,
                     number_at(at(file, "reading_time_s"), "total") / run});
  return facts;
}

/// "idle 1.5 s, busy 0.25 s"
std::string times_of(const Json& values) {
  std::vector<std::string> parts;
  for (const Json& one : values) {
    const Json& value = at(one, "value");
    const std::string name = text_at(one, "name");
    parts.push_back(fmt::format("{} {:.6g} s",
                                !name.empty()     ? name
                                : value.is_null() ? "others"
                                                  : value.dump(),
                                number_at(one, "time_s")));
  }
  return join(parts, ", ");
}

/// With what is nested in the file in one text each.
Json extended(const Json& file, const std::string& key) {
  Json rows = at(file, key);
  if (!rows.is_array()) return Json::array();
  for (Json& row : rows) {
    if (!row.is_object()) continue;
    if (const Json& site = at(row, "site"); site.is_object()) row["place"] = place_of(site);
    if (const Json& values = at(row, "values"); values.is_array()) row["times"] = times_of(values);
    row.erase("site");
  }
  return rows;
}

Json extended_left_out(const Json& file) {
  Json rows = Json::array();
  const Json& all = at(file, "left_out");
  if (!all.is_array()) return rows;
  for (const Json& one : all)
    if (const Json& names = at(one, "variables"); names.is_array())
      for (const Json& name : names) rows.push_back({{"variable", name}, {"why", text_at(one, "why")}});
  return rows;
}

const Json& variables_of(const Json& file) {
  static const Json none = Json::array();
  const Json& all = at(file, "variables");
  return all.is_array() ? all : none;
}

/// Without what has tables and charts of its own.
Json plain_variables(const Json& file) {
  Json rows = variables_of(file);
  for (Json& variable : rows)
    if (variable.is_object())
      for (const char* const key : {"sampled", "series"}) variable.erase(key);
  return rows;
}

/// One row for each variable that was sampled.
Json sampled_rows(const Json& file) {
  Json rows = Json::array();
  for (const Json& variable : variables_of(file)) {
    const Json& sampled = at(variable, "sampled");
    if (!sampled.is_object()) continue;
    rows.push_back({{"name", text_at(variable, "name")}, {"class", text_at(variable, "class")}});
    rows.back().update(sampled);
  }
  return rows;
}

/// The values over time of those that moved.
Json times_chart(const Json& file) {
  Json series = Json::array();
  for (const Json& variable : variables_of(file))
    if (const Json& one = at(variable, "series"); one.is_object())
      series.push_back(
          {{"name", text_at(variable, "name")}, {"step", number_at(one, "step_s")}, {"points", at(one, "points")}});
  if (series.empty()) return {};
  return {{"type", "times"}, {"title", "Variables over time"}, {"series", series}};
}

constexpr std::size_t findings_each = 5;

/// What tools tell of themselves is no finding about the library.
std::set<std::string> variables_of_tools(const Json& file) {
  std::set<std::string> names;
  for (const Json& variable : variables_of(file))
    if (text_at(variable, "of") == "tool") names.insert(text_at(variable, "name"));
  return names;
}

/// The call that moved each variable most; rows are in that order.
void add_changes(const Json& changes, const std::set<std::string>& of_tools, std::vector<Finding>& findings) {
  std::set<std::string> known;
  for (const Json& change : changes) {
    const std::string name = text_at(change, "variable");
    if (known.size() == findings_each || !at(change, "total").is_number() || of_tools.contains(name) ||
        !known.insert(name).second)
      continue;
    const std::string region = text_at(change, "region");
    findings.push_back({fmt::format("{:.6g}", number_at(change, "total")), name,
                        fmt::format("{}{} moved it by that, in {:.0f} of {:.0f} calls that were read.",
                                    text_at(change, "function"), region.empty() ? "" : " in region " + region,
                                    number_at(change, "changed"), number_at(change, "read"))});
  }
}

void add_samples(const Json& rows, const std::set<std::string>& of_tools, std::vector<Finding>& findings) {
  std::size_t told = 0;
  for (const Json& row : rows) {
    if (told == findings_each || number_at(row, "min") == number_at(row, "max") ||
        of_tools.contains(text_at(row, "name")))
      continue;
    findings.push_back({fmt::format("{:.6g} to {:.6g}", number_at(row, "min"), number_at(row, "max")),
                        text_at(row, "name"),
                        fmt::format("In {:.0f} samples; {:.6g} on average, {:.6g} at the end.",
                                    number_at(row, "samples"), number_at(row, "mean"), number_at(row, "last"))});
    ++told;
  }
}

/// What a row says of a change, between what tells the rows apart and what only some of them have.
std::vector<Column> with_change(std::vector<Column> before, const std::vector<Column>& after) {
  static const std::vector<Column> change = {{"changed", "changed it", Kind::count, Column::sum, true},
                                             {"total", "by", Kind::number, Column::sum, true},
                                             {"most", "most in a call", Kind::number},
                                             {"min", "least", Kind::number},
                                             {"mean", "mean", Kind::number, Column::state, true},
                                             {"max", "most", Kind::number}};
  before.insert(before.end(), change.begin(), change.end());
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

const Column times_column = {"times", "time in each value", Kind::text};

Table changes_table(const Json& rows) {
  return table_of("changes", "What calls did to variables", rows,
                  with_change({{"variable", "variable", Kind::text, Column::tells_apart, true},
                               {"class", "class", Kind::text, Column::nothing, true},
                               {"function", "function", Kind::text, Column::tells_apart, true},
                               {"region", "region", Kind::text, Column::tells_apart, true},
                               {"place", "called at", Kind::text, Column::tells_apart, true},
                               {"read", "calls read", Kind::count, Column::sum, true}},
                              {times_column}));
}

Table variables_table(const Json& rows) {
  return table_of("variables", "Variables", rows,
                  {{"name", "variable", Kind::text, Column::tells_apart, true},
                   {"class", "class", Kind::text, Column::tells_apart, true},
                   {"in_calls", "in calls that were read", Kind::number, Column::sum, true},
                   {"elsewhere", "elsewhere", Kind::number, Column::sum, true},
                   {"value_mean", "at the end, mean", Kind::number, Column::state, true},
                   {"description", "description", Kind::text, Column::nothing, true}});
}

Table parts_table(const Json& rows) {
  return table_of("parts", "By object and element", rows,
                  with_change({{"variable", "variable", Kind::text, Column::tells_apart, true},
                               {"class", "class", Kind::text, Column::nothing, true},
                               {"object_name", "object", Kind::text, Column::tells_apart, true},
                               {"object_processes", "processes", Kind::text, Column::tells_apart, true},
                               {"objects", "objects", Kind::count},
                               {"element", "element", Kind::number, Column::tells_apart, true},
                               {"read", "calls read", Kind::count, Column::sum}},
                              {{"elsewhere", "elsewhere", Kind::number, Column::sum}, times_column}));
}

Table sampled_table(const Json& rows) {
  return table_of("sampled", "Sampled", rows,
                  {{"name", "variable", Kind::text, Column::tells_apart, true},
                   {"class", "class", Kind::text, Column::tells_apart, true},
                   {"samples", "samples", Kind::count, Column::nothing, true},
                   {"min", "least", Kind::number, Column::nothing, true},
                   {"mean", "mean", Kind::number, Column::state, true},
                   {"max", "most", Kind::number, Column::nothing, true},
                   {"last", "at the end, mean", Kind::number, Column::state, true}});
}

}  // namespace

void read_vars(const Json& file, Section& section) {
  const Json changes = extended(file, "changes");
  const Json sampled = sampled_rows(file);
  section.facts = facts_of(file);
  add_end(at(file, "part"), section.findings);
  const std::set<std::string> of_tools = variables_of_tools(file);
  add_changes(changes, of_tools, section.findings);
  add_samples(sampled, of_tools, section.findings);
  section.tables = {changes_table(changes), variables_table(plain_variables(file))};
  if (const Json rows = extended(file, "parts"); !rows.empty()) section.tables.push_back(parts_table(rows));
  if (!sampled.empty()) section.tables.push_back(sampled_table(sampled));
  if (Json chart = times_chart(file); !chart.is_null()) section.charts.push_back(std::move(chart));
  if (const Json rows = extended_left_out(file); !rows.empty())
    section.tables.push_back(table_of("left_out", "Left out", rows));
}

}  // namespace cairn::report
