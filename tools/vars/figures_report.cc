// SPDX-License-Identifier: BSD-3-Clause
// figures_report.cc - figures by the class of the variable

#include "figures_report.hpp"

namespace vars {

namespace {

std::string name_of_value(const VariableSummary& variable, double value) {
  for (const auto& [name, item] : variable.items)
    if (item == static_cast<int>(value)) return name;
  return number(value);
}

double mean_of(const Moved& moved) { return moved.sum_of_values / static_cast<double>(moved.samples); }

Json times_of(const VariableSummary& variable, const Moved& moved) {
  Json out = Json::array();
  for (const ValueTime& one : moved.values) {
    out.push_back({{"value", number_json(one.value)}, {"calls", one.calls}, {"time_s", one.seconds}});
    if (!variable.items.empty()) out.back()["name"] = name_of_value(variable, one.value);
  }
  if (moved.other_values.calls != 0)
    out.push_back({{"value", nullptr}, {"calls", moved.other_values.calls}, {"time_s", moved.other_values.seconds}});
  return out;
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
      return fmt::format("+{}, at most {} in a call", number(moved.total), number(moved.most));
    case Way::high_water:
      return fmt::format("rose by {}", number(moved.total));
    case Way::low_water:
      return fmt::format("fell by {}", number(moved.total));
    case Way::state: {
      std::string out;
      for (const ValueTime& one : moved.values)
        out += fmt::format("{}{} {:.6f} s", out.empty() ? "" : ", ", name_of_value(variable, one.value), one.seconds);
      return out;
    }
    default:
      return fmt::format("from {} to {}, mean {}", number(moved.least_value), number(moved.most_value),
                         number(mean_of(moved)));
  }
}

void add_figures(const VariableSummary& variable, const Moved& moved, Json& entry) {
  if (is_sum_of_changes(variable.way)) {
    entry["total"] = number_json(moved.total);
    entry["most"] = number_json(moved.most);
  } else {
    entry["min"] = number_json(moved.least_value);
    entry["mean"] = number_json(mean_of(moved));
    entry["max"] = number_json(moved.most_value);
  }
  if (has_times(variable.way)) entry["values"] = times_of(variable, moved);
}

}  // namespace vars
