// SPDX-License-Identifier: BSD-3-Clause
// vars_section.cc - vars.json as a section: what calls did to performance variables

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"
#include "formats/rank_classes.hpp"
#include "formats/readers.hpp"

namespace cairn::report {

namespace {

using formats::vars::Change;
using formats::vars::Heading;
using VarsSummary = formats::vars::Summary;
using formats::vars::Variable;

std::vector<Fact> facts_of(const Heading& heading) {
  std::vector<Fact> facts = {{"ranks", "ranks", Kind::number, heading.ranks},
                             {"calls", "calls", Kind::count, heading.calls},
                             {"calls_read", "calls that were read", Kind::count, heading.calls_read}};
  if (heading.calls > 0)
    facts.push_back({"read_share", "share of calls that were read", Kind::fraction,
                     static_cast<double>(heading.calls_read) / static_cast<double>(heading.calls)});
  if (heading.run_time.total > 0)
    facts.push_back({"reading_share",
                     heading.reading_at_most ? "share of reading in the run, at most: readings waited for other threads"
                                             : "share of reading in the run",
                     Kind::fraction, heading.reading_time.total / heading.run_time.total});
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
    if (const Json& site = at(row, "site"); site.is_object()) row["place"] = place_of(formats::read_place(site));
    if (const Json& values = at(row, "values"); values.is_array()) row["times"] = times_of(values);
    row.erase("site");
  }
  return rows;
}

Json left_out_rows(const VarsSummary& vars) {
  Json rows = Json::array();
  for (const formats::vars::LeftOut& one : vars.left_out)
    for (const std::string& name : one.variables) rows.push_back({{"variable", name}, {"why", one.why}});
  return rows;
}

const Json& variables_of(const Json& file) {
  static const Json none = Json::array();
  const Json& all = at(file, "variables");
  return all.is_array() ? all : none;
}

/// One row for each rank and variable, where ranks are told apart.
Json rank_rows(const Json& file) {
  Json rows = Json::array();
  for (const Json& variable : variables_of(file))
    if (const Json& ranks = at(variable, "by_rank"); ranks.is_array())
      for (const Json& one : ranks) {
        if (!one.is_object()) continue;
        rows.push_back({{"name", text_at(variable, "name")}, {"class", text_at(variable, "class")}});
        for (const auto& [key, value] : one.items())
          if (key != "means" && key != "sampled") rows.back()[key] = value;
        if (const Json& sampled = at(one, "sampled"); sampled.is_object()) rows.back().update(sampled);
      }
  return rows;
}

/// What a row's rank is compared by with the others.
double figure_of(const Json& row) {
  if (row.contains("mean")) return number_at(row, "mean");
  return row.contains("in_calls") ? number_at(row, "in_calls") + number_at(row, "elsewhere") : number_at(row, "value");
}

/// Variables by which ranks fall into classes.
void add_classes(const Json& rows, std::vector<Line>& lines) {
  std::map<std::string, std::vector<std::pair<int, double>>> figures;
  for (const Json& row : rows)
    figures[text_at(row, "name")].emplace_back(static_cast<int>(number_at(row, "rank")), figure_of(row));
  for (auto& [name, of_ranks] : figures) {
    const std::vector<formats::RankClass> classes = formats::rank_classes(std::move(of_ranks));
    if (classes.size() < 2) continue;
    lines.push_back({fmt::format("{} classes", classes.size()), "of ranks by " + name, classes_text(classes) + "."});
  }
}

/// Without what has tables and charts of its own.
Json plain_variables(const Json& file) {
  Json rows = variables_of(file);
  for (Json& variable : rows)
    if (variable.is_object())
      for (const char* const key : {"sampled", "series", "by_rank"}) variable.erase(key);
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

constexpr std::size_t most_lines = 256;  // of ranks in a chart

/// The values over time of those that moved.
Json times_chart(const Json& file) {
  Json series = Json::array();
  for (const Json& variable : variables_of(file))
    if (const Json& one = at(variable, "series"); one.is_object()) {
      series.push_back(
          {{"name", text_at(variable, "name")}, {"step", number_at(one, "step_s")}, {"points", at(one, "points")}});
      Json lines = Json::array();
      for (const Json& rank : at(variable, "by_rank"))
        if (at(rank, "means").is_array() && lines.size() < most_lines)
          lines.push_back({{"rank", at(rank, "rank")}, {"means", at(rank, "means")}});
      if (!lines.empty()) series.back()["ranks"] = std::move(lines);
    }
  if (series.empty()) return {};
  return {{"type", "times"}, {"title", "Variables over time"}, {"series", series}};
}

/// What tools tell of themselves says nothing about the library.
std::set<std::string> variables_of_tools(const VarsSummary& vars) {
  std::set<std::string> names;
  for (const Variable& variable : vars.variables)
    if (variable.is_of_tool()) names.insert(variable.name);
  return names;
}

/// How much there is to see: which change matters is for the findings to say.
void add_changes(const VarsSummary& vars, std::vector<Line>& lines) {
  const std::set<std::string> of_tools = variables_of_tools(vars);
  std::set<std::string> changed;
  for (const Change& change : vars.changes)
    if (!of_tools.contains(change.variable) && change.changed > 0) changed.insert(change.variable);
  if (changed.empty()) return;
  lines.push_back(
      {count(changed.size()),
       changed.size() == 1 ? "variable of the library changed in calls" : "variables of the library changed in calls",
       "Which calls changed them, and by how much, is in the tables (on the page, or with --text -)."});
}

void add_samples(const VarsSummary& vars, std::vector<Line>& lines) {
  const auto moved = std::ranges::count_if(vars.variables, [](const Variable& variable) {
    return !variable.is_of_tool() && variable.sampled.min != variable.sampled.max;
  });
  if (moved == 0) return;
  lines.push_back({count(static_cast<std::uint64_t>(moved)),
                   moved == 1 ? "sampled variable moved" : "sampled variables moved",
                   "The page draws their values over time."});
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
                   {"deviation", "standard deviation", Kind::number, Column::nothing, true},
                   {"max", "most", Kind::number, Column::nothing, true},
                   {"last", "at the end, mean", Kind::number, Column::state, true}});
}

Table ranks_table(const Json& rows) {
  return table_of("by_rank", "By rank", rows,
                  {{"name", "variable", Kind::text, Column::tells_apart, true},
                   {"class", "class", Kind::text, Column::tells_apart, true},
                   {"rank", "rank", Kind::number, Column::tells_apart, true},
                   {"in_calls", "in calls that were read", Kind::number, Column::sum, true},
                   {"elsewhere", "elsewhere", Kind::number, Column::sum},
                   {"value", "at the end", Kind::number, Column::state, true},
                   {"samples", "samples", Kind::count},
                   {"min", "least", Kind::number, Column::nothing, true},
                   {"mean", "mean", Kind::number, Column::state, true},
                   {"deviation", "standard deviation", Kind::number, Column::nothing, true},
                   {"max", "most", Kind::number, Column::nothing, true},
                   {"last", "last sample", Kind::number}});
}

}  // namespace

void read_vars(const Json& file, Section& section) {
  const VarsSummary vars = formats::read_vars(file);
  section.question = Question::library;
  section.facts = facts_of(vars.heading);
  add_end(vars.heading.part, section.lines);
  if (!vars.heading.nothing_to_see.empty())
    section.lines.push_back({"none", "of the MPI library's variables", vars.heading.nothing_to_see + "."});
  const Json by_rank = rank_rows(file);
  add_classes(by_rank, section.lines);
  add_changes(vars, section.lines);
  add_samples(vars, section.lines);
  section.tables = {changes_table(extended(file, "changes")), variables_table(plain_variables(file))};
  if (const Json rows = extended(file, "parts"); !rows.empty()) section.tables.push_back(parts_table(rows));
  if (const Json rows = sampled_rows(file); !rows.empty()) section.tables.push_back(sampled_table(rows));
  if (!by_rank.empty()) section.tables.push_back(ranks_table(by_rank));
  if (Json chart = times_chart(file); !chart.is_null()) section.charts.push_back(std::move(chart));
  if (const Json rows = left_out_rows(vars); !rows.empty())
    section.tables.push_back(table_of("left_out", "Left out", rows));
}

}  // namespace cairn::report
