// SPDX-License-Identifier: BSD-3-Clause
// section.cc - finding things in sections and tables

#include "cli/report/section.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::report {

std::string_view key_of(Question question) {
  constexpr std::string_view keys[] = {"time", "waiting", "messages", "library", "change", "ranks"};
  return keys[static_cast<int>(question)];
}

std::string_view title_of(Question question) {
  constexpr std::string_view titles[] = {"Where does time go?", "Who waits for whom?", "Who talks to whom?",
                                         "Inside the library",  "What to change",      "Each rank"};
  return titles[static_cast<int>(question)];
}

std::size_t Table::find(std::string_view key) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.key == key; });
  return static_cast<std::size_t>(found - columns.begin());
}

const Fact* Section::fact(std::string_view key) const {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.key == key; });
  return found == facts.end() ? nullptr : &*found;
}

namespace {

void make_whole(Kind kind, Json& value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (!value.is_number_float() || (kind != Kind::number && kind != Kind::count && kind != Kind::bytes)) return;
  const double number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > exact) return;
  if (number < 0) value = static_cast<std::int64_t>(number);
  else value = static_cast<std::uint64_t>(number);
}

}  // namespace

void make_whole(Section& section) {
  for (Fact& fact : section.facts) make_whole(fact.kind, fact.value);
  for (Table& table : section.tables)
    for (std::vector<Json>& row : table.rows)
      for (std::size_t i = 0; i < row.size(); ++i) make_whole(table.columns[i].kind, row[i]);
}

Json ranks_of(const Report& report) {
  double most = report.ranks;
  for (const Section& section : report.sections)
    if (const Fact* ranks = section.fact("ranks"); ranks != nullptr && section.part.empty() && ranks->value.is_number())
      most = std::max(most, ranks->value.get<double>());
  return most > 0 ? Json(static_cast<std::uint64_t>(most)) : Json();
}

std::string name_of(const Section& section) {
  const std::string name =
      section.instance == 1 ? section.tool : section.tool + " #" + std::to_string(section.instance);
  return section.part.empty() ? name : name + ", " + section.part;
}

}  // namespace cairn::report
