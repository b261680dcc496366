// SPDX-License-Identifier: BSD-3-Clause
// compare.cc - two runs side by side
//
// Rows are matched by the columns that tell rows apart. Several rows of one run with the same keys (a call that the
// compiler has put into a program twice) are added up first. What a job was stuck at, or died of, is no quantity, and is
// not compared.

#include "cli/report/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "cli/report/chart.hpp"
#include "cli/report/compare_lines.hpp"
#include "cli/report/wording.hpp"

namespace cairn::report {

namespace {

using Keys = std::vector<std::string>;
using Row = std::vector<Json>;  // by the columns that are compared

/// Empty: a run has none.
struct Pair {
  Row a;
  Row b;
};
using Matched = std::map<Keys, Pair>;

std::vector<Column> columns_of(const Table& a, const Table& b) {
  std::vector<Column> columns = a.columns;
  for (const Column& column : b.columns)
    if (a.find(column.key) == a.columns.size()) columns.push_back(column);
  return columns;
}

bool is_compared(const Column& column) {
  return column.in_comparison == Column::sum || column.in_comparison == Column::state;
}

/// Exact for whole numbers.
Json sum(const Json& a, const Json& b) {
  if (!a.is_number()) return b;
  if (!b.is_number()) return a;
  if (a.is_number_unsigned() && b.is_number_unsigned()) return a.get<std::uint64_t>() + b.get<std::uint64_t>();
  if (a.is_number_integer() && b.is_number_integer()) return a.get<std::int64_t>() + b.get<std::int64_t>();
  return a.get<double>() + b.get<double>();
}

/// Where the table has these columns.
std::vector<std::size_t> places_in(const Table& table, const std::vector<Column>& columns) {
  std::vector<std::size_t> places;
  for (const Column& column : columns) places.push_back(table.find(column.key));
  return places;
}

/// Its rows, as one run's part of the pairs.
void add_rows(const Table& table, const std::vector<Column>& key_columns, const std::vector<Column>& compared,
              Row Pair::*part, Matched& pairs) {
  const std::vector<std::size_t> names = places_in(table, key_columns);
  const std::vector<std::size_t> values = places_in(table, compared);
  const auto value_at = [](const std::vector<Json>& row, std::size_t at) { return at < row.size() ? row[at] : Json(); };
  for (const std::vector<Json>& row : table.rows) {
    Keys keys;
    for (const std::size_t at : names) keys.push_back(value_text(Kind::text, value_at(row, at)));
    Row& into = pairs[std::move(keys)].*part;
    const bool is_new = into.empty();
    into.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (is_new) into[i] = value_at(row, values[i]);
      else if (values[i] < row.size() && table.columns[values[i]].in_comparison == Column::sum)
        into[i] = sum(into[i], row[values[i]]);
  }
}

std::vector<Column> keys_of(const std::vector<Column>& columns) {
  std::vector<Column> keys;
  std::ranges::copy_if(columns, std::back_inserter(keys),
                       [](const Column& column) { return column.in_comparison == Column::tells_apart; });
  return keys;
}

/// The columns that are compared, first the one that the table is sorted by: the first time, or else the first quantity.
std::vector<Column> compared_of(const std::vector<Column>& columns) {
  std::vector<Column> compared;
  std::ranges::copy_if(columns, std::back_inserter(compared), is_compared);
  const auto measure = std::ranges::find(compared, Kind::seconds, &Column::kind);
  if (measure != compared.end()) std::rotate(compared.begin(), measure, measure + 1);
  return compared;
}

std::vector<Column> result_columns(const std::vector<Column>& names, const std::vector<Column>& compared) {
  std::vector<Column> out = names;
  out.push_back({"in", "in", Kind::text, Column::nothing, true});
  for (const Column& column : compared) {
    const bool is_measure = &column == &compared.front();
    const bool brief = is_measure || column.kind == Kind::count;
    out.push_back({column.key + "_a", column.title + " A", column.kind, Column::nothing, brief});
    out.push_back({column.key + "_b", column.title + " B", column.kind, Column::nothing, brief});
    out.push_back({column.key + "_change", column.title + " change", column.kind, Column::nothing, is_measure, true});
    if (column.in_comparison == Column::sum)
      out.push_back({column.key + "_relative", "relative", Kind::relative, Column::nothing, is_measure, true});
  }
  return out;
}

/// Exact for whole numbers. A value missing in one run counts as zero.
Json difference(const Json& a, const Json& b) {
  const auto whole = [](const Json& value) { return value.is_number_integer() || value.is_null(); };
  if (a.is_null() && b.is_null()) return {};
  if (whole(a) && whole(b))
    return (b.is_null() ? 0 : b.get<std::int64_t>()) - (a.is_null() ? 0 : a.get<std::int64_t>());
  return (b.is_number() ? b.get<double>() : 0) - (a.is_number() ? a.get<double>() : 0);
}

void add_quantity(const Column& column, const Json& a, const Json& b, std::vector<Json>& out) {
  const Json change = difference(a, b);
  const bool has_base = a.is_number() && a != 0;
  out.insert(out.end(), {a, b, change});
  if (column.in_comparison == Column::sum)
    out.push_back(has_base ? Json(change.get<double>() / a.get<double>()) : Json());
}

std::vector<Json> result_row(const Keys& keys, const std::vector<Column>& compared, const Pair& pair) {
  std::vector<Json> out(keys.begin(), keys.end());
  out.push_back(pair.a.empty() ? "B" : pair.b.empty() ? "A" : "both");
  for (std::size_t i = 0; i < compared.size(); ++i)
    add_quantity(compared[i], pair.a.empty() ? Json() : pair.a[i], pair.b.empty() ? Json() : pair.b[i], out);
  return out;
}

Table compare(const Table& a, const Table& b) {
  const std::vector<Column> columns = columns_of(a, b);
  const std::vector<Column> names = keys_of(columns);
  const std::vector<Column> compared = compared_of(columns);
  Table out{b.name, b.title, {}, {}, b.question};
  if (compared.empty()) return out;
  Matched pairs;
  add_rows(a, names, compared, &Pair::a, pairs);
  add_rows(b, names, compared, &Pair::b, pairs);
  out.columns = result_columns(names, compared);
  out.rows.reserve(pairs.size());
  for (const auto& [keys, pair] : pairs) out.rows.push_back(result_row(keys, compared, pair));
  const std::size_t change = out.find(compared.front().key + "_change");
  std::stable_sort(out.rows.begin(), out.rows.end(), [&](const auto& left, const auto& right) {
    const auto size = [&](const auto& row) {
      return row[change].is_number() ? std::abs(row[change].template get<double>()) : 0;
    };
    return size(left) > size(right);
  });
  return out;
}

void add_compared(const Fact& fact, const Json& before, const Json& after, std::vector<Fact>& out) {
  if (!before.is_number() || !after.is_number()) return;
  const double change = after.get<double>() - before.get<double>();
  out.push_back({fact.key + "_a", fact.title, fact.kind, before});
  out.push_back({fact.key + "_b", fact.title, fact.kind, after});
  out.push_back({fact.key + "_change", fact.title, fact.kind, change, fact.headline});
}

/// Three facts for each that both runs have, or that is 0 where one has none: before, after and the difference.
std::vector<Fact> compare(const std::vector<Fact>& a, const std::vector<Fact>& b) {
  std::vector<Fact> out;
  for (const Fact& before : a) {
    const auto after = std::ranges::find(b, before.key, &Fact::key);
    if (after != b.end()) add_compared(before, before.value, after->value, out);
    else if (before.is_zero_where_absent) add_compared(before, before.value, 0, out);
  }
  for (const Fact& after : b)
    if (after.is_zero_where_absent && std::ranges::find(a, after.key, &Fact::key) == a.end())
      add_compared(after, 0, after.value, out);
  return out;
}

/// Of those that both runs have, the one's beside the other's.
std::vector<RankFigures> compare(const std::vector<RankFigures>& a, const std::vector<RankFigures>& b) {
  std::vector<RankFigures> out;
  for (const RankFigures& before : a)
    for (const RankFigures& after : b)
      if (before.column.key == after.column.key)
        for (const auto& [of, letter] : {std::pair(&before, "A"), std::pair(&after, "B")}) {
          out.push_back(*of);
          out.back().column.key += letter == std::string_view("A") ? "_a" : "_b";
          out.back().column.title += std::string(", ") + letter;
        }
  return out;
}

void add_charts(Section& section) {
  for (const Table& table : section.tables) {
    const auto is_change = [](const Column& column) { return column.change; };
    const auto change = std::find_if(table.columns.begin(), table.columns.end(), is_change);
    if (change == table.columns.end() || change->kind != Kind::seconds || table.rows.empty()) continue;
    const bool has_detail = table.columns[1].key != "in";
    Json chart = bar_chart(table.title + ": " + change->title, table, table.columns[0].key,
                           has_detail ? table.columns[1].key : "", change->key);
    if (chart.is_null()) continue;
    if (table.question) chart["question"] = key_of(*table.question);
    section.charts.push_back(std::move(chart));
  }
}

Section compare(const Section& a, const Section& b) {
  Section out{b.tool, b.instance, b.part, b.file, compare(a.facts, b.facts), {}, {}, {}};
  for (const Table& table : a.tables) {
    const auto other =
        std::find_if(b.tables.begin(), b.tables.end(), [&](const Table& t) { return t.name == table.name; });
    out.tables.push_back(
        compare(table, other == b.tables.end() ? Table{table.name, table.title, {}, {}, table.question} : *other));
  }
  for (const Table& table : b.tables)
    if (std::none_of(a.tables.begin(), a.tables.end(), [&](const Table& t) { return t.name == table.name; }))
      out.tables.push_back(compare(Table{table.name, table.title, {}, {}}, table));
  out.question = b.question;
  out.by_rank = compare(a.by_rank, b.by_rank);
  out.lines = comparison_lines(out);
  add_charts(out);
  return out;
}

std::string heading_value(const Report& report, std::string_view name) {
  for (const auto& [key, value] : report.heading)
    if (key == name) return value;
  return {};
}

void add_differences(const Report& a, const Report& b, Report& out) {
  const auto name = [](const Report& report) { return std::string(file_of(heading_value(report, "program"))); };
  if (name(a) != name(b))
    out.warnings.emplace_back("the runs are of different programs: '" + name(a) + "' and '" + name(b) + "'");
  const Json ranks[] = {ranks_of(a), ranks_of(b)};
  if (!ranks[0].is_null() && !ranks[1].is_null() && ranks[0] != ranks[1])
    out.warnings.emplace_back("the runs are on different numbers of ranks: " + ranks[0].dump() + " and " +
                              ranks[1].dump() + ". Times are those of an average rank, calls and bytes of all");
}

}  // namespace

Report compare(const Report& a, const Report& b) {
  Report out;
  out.title = "A: " + a.title + ", B: " + b.title;
  for (const auto& [run, letter] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
    std::string what = run->title;
    for (const char* key : {"MPI", "started", "folder"})
      if (const std::string value = heading_value(*run, key); !value.empty()) what += ", " + value;
    out.heading.emplace_back(letter, what);
    for (const Problem& warning : run->warnings) out.warnings.push_back(warning);
  }
  add_differences(a, b, out);
  for (const Section& section : a.sections)
    for (const Section& other : b.sections)
      if (section.tool != "where" && section.tool == other.tool && section.instance == other.instance &&
          section.part == other.part)
        out.sections.push_back(compare(section, other));
  compare_overviews(a, b, out);
  return out;
}

}  // namespace cairn::report
