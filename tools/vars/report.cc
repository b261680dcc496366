// SPDX-License-Identifier: BSD-3-Clause
// report.cc - vars.json and the table

#include "report.hpp"

#include <algorithm>
#include <set>

#include "figures_report.hpp"
#include "parts_report.hpp"
#include "samples_report.hpp"

namespace vars {

namespace {

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

FunctionCalls all_calls(const Summary& summary) {
  FunctionCalls all;
  for (const auto& [name, function] : summary.functions) {
    all.calls += function.calls;
    all.samples += function.samples;
  }
  return all;
}

/// Those that changed a variable most come first within it.
std::vector<const Change*> ordered(const Summary& summary) {
  std::vector<const Change*> rows;
  for (const auto& [key, change] : summary.changes) rows.push_back(&change);
  std::ranges::stable_sort(rows, [](const Change* one, const Change* other) { return moved_more(*one, *other); });
  return rows;
}

std::string place_of(const Change& change) {
  if (!change.file.empty()) return fmt::format("{}:{} {}", file_of(change.file), change.line, change.caller);
  if (change.object.empty()) return {};
  if (!change.caller.empty()) return fmt::format("{} in {}", change.caller, file_of(change.object));
  return fmt::format("{}+{:#x}", file_of(change.object), change.offset);
}

std::size_t changed_variables(const Summary& summary) {
  std::set<std::string> changed;
  for (const auto& [key, change] : summary.changes)
    if (change.changed != 0) changed.insert(change.variable);
  for (const auto& [key, variable] : summary.variables)
    if (variable.samples.moved()) changed.insert(variable.name);
  return changed.size();
}

/// What the user did not ask for.
std::string costs(const Summary& summary) {
  std::string out;
  if (summary.budget > 0 && percent(summary.cost_s, summary.run_s) > summary.budget)
    out += fmt::format(
        "  more than the budget of {} %, to which the start, the end and objects that come and go do not keep\n",
        number(summary.budget));
  if (summary.start_s / summary.ranks > 0.01)
    out += fmt::format("  starting MPI_T took {:.3f} s of each rank before that\n", summary.start_s / summary.ranks);
  return out;
}

/// Why calls were not.
std::string not_read(const Summary& summary) {
  std::string out;
  const auto never = std::ranges::count_if(
      summary.functions, [](const auto& entry) { return entry.second.calls != 0 && entry.second.samples == 0; });
  if (summary.attributes && summary.budget > 0 && never != 0)
    out += fmt::format("  {} of {} functions were never read within the budget of {} %; budget:0 reads every call\n",
                       never, summary.functions.size(), number(summary.budget));
  if (summary.missed != 0)
    out += fmt::format("  {} calls were not read because another thread was reading\n", summary.missed);
  if (summary.nested != 0)
    out += fmt::format("  {} calls of callbacks are in the readings of the calls around them\n", summary.nested);
  return out;
}

std::string heading(const Summary& summary) {
  const FunctionCalls all = all_calls(summary);
  std::string out =
      fmt::format("cairn {}: {} on {} rank{}, {} of {} variables changed; ", summary.tool, file_of(summary.program),
                  summary.ranks, summary.ranks == 1 ? "" : "s", changed_variables(summary), summary.variables.size());
  if (summary.attributes)
    out += fmt::format("{} of {} calls read ({:.1f} %), which", all.samples, all.calls,
                       percent(static_cast<double>(all.samples), static_cast<double>(all.calls)));
  else out += "sampling";
  out += fmt::format(" took {:.2f} % of the run\n", percent(summary.cost_s, summary.run_s));
  return out + costs(summary) + not_read(summary);
}

/// What is not in the rows.
std::string elsewhere(const Summary& summary) {
  std::string out;
  if (!summary.attributes) return out;
  for (const auto& [key, variable] : summary.variables)
    if (variable.elsewhere > 0)
      out +=
          fmt::format("  {}: {} more outside of the calls that were read\n", variable.name, number(variable.elsewhere));
  return out;
}

std::string left_out(const Summary& summary) {
  std::string out;
  for (const auto& [why, names] : summary.left_out)
    out += fmt::format("  {} left out: {} ({}{})\n", names.size(), why, names.front(), names.size() > 1 ? ", ..." : "");
  if (summary.objects_left_out != 0)
    out += fmt::format("  {} communicators, windows and files are beyond those that are followed\n",
                       summary.objects_left_out);
  if (summary.parts_left_out != 0)
    out += fmt::format("  {} objects and elements are beyond those that are told apart\n", summary.parts_left_out);
  return out;
}

Json to_json(const VariableSummary& variable) {
  Json out = {{"name", variable.name},
              {"class", variable.of_class},
              {"type", variable.type},
              {"binding", variable.binding},
              {"of", variable.of_tool ? "tool" : "library"},
              {"verbosity", variable.verbosity},
              {"description", variable.description},
              {"handles", variable.handles}};
  if (is_sum_of_changes(variable.way)) {
    out["in_calls"] = number_json(variable.attributed);
    out["elsewhere"] = number_json(variable.elsewhere);
  }
  if (variable.resets != 0) out["resets"] = variable.resets;
  if (variable.type == "char") out["value"] = variable.text;
  else
    out["value"] = {{"mean", number_json(variable.sum_of_values / variable.ranks)},
                    {"min", number_json(variable.least_value)},
                    {"max", number_json(variable.most_value)}};
  for (const auto& [name, value] : variable.items) out["items"][name] = value;
  add_samples(variable, out);
  return out;
}

Json to_json(const VariableSummary& variable, const Change& change) {
  Json out = {{"variable", change.variable}, {"class", change.of_class}, {"region", change.region},
              {"function", change.function}, {"read", change.samples},   {"changed", change.changed}};
  if (!change.object.empty())
    out["site"] = {{"file", change.file},
                   {"line", change.line},
                   {"caller", change.caller},
                   {"object", change.object},
                   {"offset", change.offset}};
  add_figures(variable, change, out);
  return out;
}

}  // namespace

std::string format_table(const Summary& summary, unsigned top) {
  std::string out = heading(summary);
  const std::vector<const Change*> rows = ordered(summary);
  if (!rows.empty())
    out += fmt::format("  {:<36} {:<13} {:<22} {:<16} {:>9} {:>9}  {}\n", "variable", "class", "function", "region",
                       "read", "changed", "what");
  for (std::size_t i = 0; i < std::min<std::size_t>(top, rows.size()); ++i) {
    const Change& change = *rows[i];
    const std::string place = place_of(change);
    out += fmt::format("  {:<36} {:<13} {:<22} {:<16} {:>9} {:>9}  {}{}\n", change.variable, change.of_class,
                       change.function, change.region, change.samples, change.changed,
                       what(variable_of(summary, change), change), place.empty() ? "" : "  at " + place);
  }
  if (rows.size() > top) out += fmt::format("  {} more rows in the file\n", rows.size() - top);
  return out + parts_table(summary, top) + samples_table(summary) + elsewhere(summary) + left_out(summary);
}

std::string format_json(const Summary& summary) {
  const FunctionCalls all = all_calls(summary);
  Json out = {{"format", "cairn-vars 1"}};
  if (!summary.run.empty()) out["run"] = summary.run;
  out["program"] = summary.program;
  out["ranks"] = summary.ranks;
  if (summary.rank >= 0) out["part"] = {{"rank", summary.rank}, {"ended_by", summary.ended_by}};
  out["calls"] = all.calls;
  out["calls_read"] = all.samples;
  out["calls_missed"] = summary.missed;
  if (summary.nested != 0) out["calls_nested"] = summary.nested;
  out["budget_percent"] = number_json(summary.budget);
  out["run_time_s"] = {{"total", summary.run_s}, {"mean", summary.run_s / summary.ranks}};
  out["reading_time_s"] = {{"total", summary.cost_s}, {"mean", summary.cost_s / summary.ranks}};
  out["start_time_s"] = {{"total", summary.start_s}, {"mean", summary.start_s / summary.ranks}};
  out["every"] = summary.every;
  out["objects_left_out"] = summary.objects_left_out;
  if (summary.parts_left_out != 0) out["parts_left_out"] = summary.parts_left_out;
  if (Json sampling = sampling_json(summary); !sampling.is_null()) out["sampling"] = std::move(sampling);
  out["variables"] = Json::array();
  for (const auto& [key, variable] : summary.variables) out["variables"].push_back(to_json(variable));
  out["changes"] = Json::array();
  for (const Change* change : ordered(summary))
    out["changes"].push_back(to_json(variable_of(summary, *change), *change));
  if (Json parts = parts_json(summary); !parts.empty()) out["parts"] = std::move(parts);
  out["functions"] = Json::array();
  for (const auto& [name, function] : summary.functions)
    out["functions"].push_back({{"name", name}, {"calls", function.calls}, {"read", function.samples}});
  out["left_out"] = Json::array();
  for (const auto& [why, names] : summary.left_out) out["left_out"].push_back({{"why", why}, {"variables", names}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vars
