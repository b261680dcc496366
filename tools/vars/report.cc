// SPDX-License-Identifier: BSD-3-Clause
// report.cc - vars.json and the table

#include "report.hpp"

#include <algorithm>
#include <set>

#include "figures_report.hpp"
#include "formats/field_writer.hpp"
#include "formats/numbers.hpp"
#include "formats/vars.hpp"
#include "parts_report.hpp"
#include "samples_report.hpp"

namespace vars {

using namespace formats;

namespace {

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
    out += cat({"  more than the budget of ", plain_number(summary.budget),
                " %, to which the start, the end and the first objects of the program do not keep\n"});
  if (summary.cost_at_most)
    out += "  readings that waited for other threads, which were in MPI, are in that with all of their time\n";
  if (const double start = summary.start_s / summary.ranks; start > 0.01)
    out += cat({"  starting MPI_T took ", fixed(start, 3), " s of each rank before that\n"});
  return out;
}

/// Why calls were not.
std::string not_read(const Summary& summary) {
  std::string out;
  const auto never = std::ranges::count_if(
      summary.functions, [](const auto& entry) { return entry.second.calls != 0 && entry.second.samples == 0; });
  if (summary.attributes && summary.budget > 0 && never != 0)
    out += cat({"  ", never, " of ", summary.functions.size(), " functions were never read within the budget of ",
                plain_number(summary.budget), " %; budget:0 reads every call\n"});
  if (summary.missed != 0)
    out += cat({"  ", summary.missed, " calls were not read because another thread was reading\n"});
  if (summary.nested != 0)
    out += cat({"  ", summary.nested, " calls of callbacks are in the readings of the calls around them\n"});
  return out;
}

std::string heading(const Summary& summary) {
  const FunctionCalls all = all_calls(summary);
  std::string out = cat({"cairn ", summary.tool, ": ", harmless(file_of(summary.program)), " on ",
                         plural(static_cast<std::uint64_t>(summary.ranks), "rank"), ", ", changed_variables(summary),
                         " of ", summary.variables.size(), " variables changed; "});
  if (summary.attributes)
    out += cat({all.samples, " of ", all.calls, " calls read (",
                fixed(percent(static_cast<double>(all.samples), static_cast<double>(all.calls)), 1), " %), which"});
  else out += "sampling";
  out += cat({" took ", summary.cost_at_most ? "at most " : "", fixed(percent(summary.cost_s, summary.run_s), 2),
              " % of the run\n"});
  if (!summary.nothing_to_see.empty()) out += cat({"  ", summary.nothing_to_see, "\n"});
  return out + costs(summary) + not_read(summary);
}

/// What is not in the rows.
std::string elsewhere(const Summary& summary) {
  std::string out;
  if (!summary.attributes) return out;
  for (const auto& [key, variable] : summary.variables)
    if (variable.elsewhere > 0)
      out += cat(
          {"  ", variable.name, ": ", plain_number(variable.elsewhere), " more outside of the calls that were read\n"});
  return out;
}

std::string left_out(const Summary& summary) {
  std::string out;
  for (const auto& [why, names] : summary.left_out)
    out += cat({"  ", names.size(), " left out: ", why, " (", names.front(), names.size() > 1 ? ", ..." : "", ")\n"});
  if (summary.objects_left_out != 0)
    out += cat({"  ", summary.objects_left_out, " objects of the program are beyond those that are followed\n"});
  if (summary.parts_left_out != 0)
    out += cat({"  ", summary.parts_left_out, " objects and elements are beyond those that are told apart\n"});
  return out;
}

void write_value(JsonWriter& json, const VariableSummary& variable) {
  if (variable.type == "char") return json("value", variable.text);
  FieldWriter{json}("value", formats::vars::LastValue{variable.sum_of_values / variable.ranks, variable.least_value,
                                                      variable.most_value});
}

void write_variable(JsonWriter& json, const VariableSummary& variable) {
  json.object([&] {
    json("name", variable.name);
    json("class", variable.of_class);
    json("type", variable.type);
    json("binding", variable.binding);
    json("of", variable.of_tool ? "tool" : "library");
    json("verbosity", variable.verbosity);
    json("description", variable.description);
    json("handles", variable.handles);
    if (is_sum_of_changes(variable.way)) {
      json.number("in_calls", variable.attributed);
      json.number("elsewhere", variable.elsewhere);
    }
    if (variable.resets != 0) json("resets", variable.resets);
    write_value(json, variable);
    if (!variable.items.empty())
      json.object("items", [&] {
        for (const auto& [name, value] : variable.items) json(name, value);
      });
    write_samples(json, variable);
    write_ranks(json, variable);
  });
}

void write_change(JsonWriter& json, const VariableSummary& variable, const Change& change) {
  json.object([&] {
    FieldWriter{json}.inlined(formats::vars::ChangingCalls{change.variable, change.of_class, change.region,
                                                           change.function, change.samples, change.changed,
                                                           change.place});
    write_figures(json, variable, change);
  });
}

formats::vars::Heading heading_of(const Summary& summary) {
  const FunctionCalls all = all_calls(summary);
  const auto time = [&](double total) { return formats::vars::Time{total, total / summary.ranks}; };
  formats::vars::Heading heading;
  heading.run = summary.run;
  heading.program = summary.program;
  heading.ranks = summary.ranks;
  heading.part = summary.part;
  heading.calls = all.calls;
  heading.calls_read = all.samples;
  heading.calls_missed = summary.missed;
  heading.calls_nested = summary.nested;
  heading.budget_percent = summary.budget;
  heading.run_time = time(summary.run_s);
  heading.reading_time = time(summary.cost_s);
  heading.reading_at_most = summary.cost_at_most;
  heading.start_time = time(summary.start_s);
  heading.every = summary.every;
  heading.nothing_to_see = summary.nothing_to_see;
  heading.objects_left_out = summary.objects_left_out;
  heading.parts_left_out = summary.parts_left_out;
  return heading;
}

std::vector<formats::vars::LeftOut> left_out_of(const Summary& summary) {
  std::vector<formats::vars::LeftOut> all;
  for (const auto& [why, names] : summary.left_out) all.push_back({why, names});
  return all;
}

/// One row of the table, up to what happened.
std::string line(const Piece& variable, const Piece& of_class, const Piece& function, const Piece& region,
                 const Piece& read, const Piece& changed, const Piece& what) {
  return cat({"  ", left(variable, 36), " ", left(of_class, 13), " ", left(function, 22), " ", left(region, 16), " ",
              right(read, 9), " ", right(changed, 9), "  ", what, "\n"});
}

}  // namespace

std::string format_table(const Summary& summary, unsigned top) {
  std::string out = heading(summary);
  const std::vector<const Change*> rows = ordered(summary);
  if (!rows.empty()) out += line("variable", "class", "function", "region", "read", "changed", "what");
  for (std::size_t i = 0; i < std::min<std::size_t>(top, rows.size()); ++i) {
    const Change& change = *rows[i];
    const std::string place = place_text(change.place);
    out += line(change.variable, change.of_class, change.function, change.region, change.samples, change.changed,
                cat({what(variable_of(summary, change), change), place.empty() ? "" : "  at ", place}));
  }
  if (rows.size() > top) out += cat({"  ", rows.size() - top, " more rows in the file\n"});
  return out + parts_table(summary, top) + samples_table(summary) + ranks_table(summary) + elsewhere(summary) +
         left_out(summary);
}

std::string format_json(const Summary& summary) {
  JsonWriter json(2);
  json.object([&] {
    FieldWriter{json}.inlined(heading_of(summary));
    write_sampling(json, summary);
    json.array("variables", summary.variables, [&](const auto& entry) { write_variable(json, entry.second); });
    json.array("changes", ordered(summary),
               [&](const Change* change) { write_change(json, variable_of(summary, *change), *change); });
    write_parts(json, summary);
    json.array("functions", summary.functions, [&](const auto& entry) {
      json.object([&] {
        json("name", entry.first);
        json("calls", entry.second.calls);
        json("read", entry.second.samples);
      });
    });
    FieldWriter{json}("left_out", left_out_of(summary));
  });
  return json.take();
}

}  // namespace vars
