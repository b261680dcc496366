// SPDX-License-Identifier: BSD-3-Clause
// figures_report.cc - figures by the class of the variable

#include "figures_report.hpp"

#include "formats/numbers.hpp"

namespace vars {

using namespace formats;

namespace {

std::string name_of_value(const VariableSummary& variable, double value) {
  for (const auto& [name, item] : variable.items)
    if (item == static_cast<int>(value)) return name;
  return plain_number(value);
}

double mean_of(const Moved& moved) { return moved.sum_of_values / static_cast<double>(moved.samples); }

void write_times(JsonWriter& json, const VariableSummary& variable, const Moved& moved) {
  json.name("values");
  json.array([&] {
    for (const ValueTime& one : moved.values)
      json.object([&] {
        json.number("value", one.value);
        json("calls", one.calls);
        json("time_s", one.seconds);
        if (!variable.items.empty()) json("name", name_of_value(variable, one.value));
      });
    if (moved.other_values.calls != 0)
      json.object([&] {
        json("value", nullptr);
        json("calls", moved.other_values.calls);
        json("time_s", moved.other_values.seconds);
      });
  });
}

}  // namespace

const VariableSummary& variable_of(const Summary& summary, const Moved& moved) {
  return summary.variables.at(moved.variable + '\n' + moved.of_class);
}

bool moved_more(const Moved& one, const Moved& other) {
  if (one.variable != other.variable) return one.variable < other.variable;
  if (one.total != other.total) return one.total > other.total;
  return one.changed > other.changed;
}

std::string what(const VariableSummary& variable, const Moved& moved) {
  switch (variable.way) {
    case Way::sum:
      return cat({"+", plain_number(moved.total), ", at most ", plain_number(moved.most), " in a call"});
    case Way::high_water:
      return cat({"rose by ", plain_number(moved.total)});
    case Way::low_water:
      return cat({"fell by ", plain_number(moved.total)});
    case Way::state: {
      std::string out;
      for (const ValueTime& one : moved.values)
        out += cat({out.empty() ? "" : ", ", name_of_value(variable, one.value), " ", fixed(one.seconds, 6), " s"});
      return out;
    }
    default:
      return cat({"from ", plain_number(moved.least_value), " to ", plain_number(moved.most_value), ", mean ",
                  plain_number(mean_of(moved))});
  }
}

void write_figures(JsonWriter& json, const VariableSummary& variable, const Moved& moved) {
  if (is_sum_of_changes(variable.way)) {
    json.number("total", moved.total);
    json.number("most", moved.most);
  } else {
    json.number("min", moved.least_value);
    json.number("mean", mean_of(moved));
    json.number("max", moved.most_value);
  }
  if (has_times(variable.way)) write_times(json, variable, moved);
}

}  // namespace vars
