// SPDX-License-Identifier: BSD-3-Clause
// gather.cc - keys, sums over ranks, names of places

#include "gather.hpp"

#include <cmath>

#include "formats/vars.hpp"
#include "shared/object_place.hpp"

namespace vars {

namespace {

std::string key_of(const std::string& name, const std::string& of_class) { return name + '\n' + of_class; }

std::string key_of(const Change& change) {
  return key_of(change.variable, change.of_class) + '\n' + change.region + '\n' + change.function + '\n' +
         change.place.object + '\n' + std::to_string(change.place.offset);
}

std::string key_of(const PartKey& key, const PartSummary& part) {
  return key_of(part.variable, part.of_class) + '\n' + part.object + '\n' + part.processes + '\n' +
         std::to_string(key.object.hash) + '\n' + std::to_string(part.element);
}

VariableSummary summary_of(const Variable& variable) {
  VariableSummary out;
  out.name = variable.about.name;
  out.of_class = word_of(all_classes, variable.about.of_class);
  out.type = type_of(variable.about.type).word;
  out.binding = word_of(bindings, variable.about.binding);
  out.of_tool = variable.of_tool;
  out.verbosity = word_of(verbosities, variable.about.verbosity);
  out.description = variable.about.text;
  for (const EnumItem& item : variable.items) out.items[item.name] = item.value;
  out.way = variable.way;
  out.handles = variable.handles;
  out.attributed = variable.attributed;
  out.elsewhere = variable.elsewhere;
  out.resets = variable.resets;
  out.least_value = out.most_value = out.sum_of_values = variable.value;
  out.text = variable.text;
  out.ranks = 1;
  return out;
}

void add_samples(VariableSummary& to, const std::vector<Sampled>& all, std::size_t number) {
  if (number >= all.size()) return;
  to.samples = all[number].values;
  to.sum_of_last_samples = all[number].last;
  to.series = all[number].series;
}

void take(Moved& to, const Cell& cell, const VariableSummary& variable) {
  to.variable = variable.name;
  to.of_class = variable.of_class;
  to.add(cell);
  if (cell.times == nullptr) return;
  to.values.assign(cell.times->known.begin(), cell.times->known.begin() + static_cast<long>(cell.times->count));
  to.other_values = cell.times->others;
}

Change change_of(const Row& row, const Cell& cell, const VariableSummary& variable, const cairn::Regions& regions,
                 const std::string& program) {
  Change out;
  take(out, cell, variable);
  out.region = regions.path(row.region);
  out.function = cairn::facts(row.function).name;
  if (row.place != nullptr)
    if (shared::ObjectPlace place = shared::object_place(row.place, program); !place.path.empty()) {
      out.place.object = std::move(place.path);
      out.place.offset = place.offset;
    }
  return out;
}

PartSummary part_of(const PartKey& key, const Part& part, const VariableSummary& variable) {
  PartSummary out;
  take(out, part, variable);
  out.object = key.object.name;
  out.processes = key.object.processes;
  out.objects = part.objects;
  out.element = key.element;
  out.elsewhere = part.elsewhere;
  return out;
}

void add(Moved& to, const Moved& from) {
  to.add(from);
  to.other_values.add(from.other_values);
  for (const ValueTime& one : from.values) {
    const auto known = std::ranges::find(to.values, one.value, &ValueTime::value);
    if (known == to.values.end()) to.values.push_back(one);
    else known->add(one);
  }
}

void add(PartSummary& to, const PartSummary& from) {
  add(static_cast<Moved&>(to), from);
  to.objects += from.objects;
  to.elsewhere += from.elsewhere;
}

void add(VariableSummary& to, const VariableSummary& from) {
  to.handles += from.handles;
  to.attributed += from.attributed;
  to.elsewhere += from.elsewhere;
  to.resets += from.resets;
  to.least_value = std::min(to.least_value, from.least_value);
  to.most_value = std::max(to.most_value, from.most_value);
  to.sum_of_values += from.sum_of_values;
  to.samples.add(from.samples);
  to.sum_of_last_samples += from.sum_of_last_samples;
  to.series.add(from.series);
  to.ranks += from.ranks;
  to.by_rank.insert(to.by_rank.end(), from.by_rank.begin(), from.by_rank.end());
}

void add(FunctionCalls& to, const FunctionCalls& from) {
  to.calls += from.calls;
  to.samples += from.samples;
}

/// How many there was no room for.
template <class Entry>
std::size_t add_all(std::map<std::string, Entry>& to, const std::map<std::string, Entry>& from,
                    std::size_t limit = SIZE_MAX) {
  std::size_t left_out = 0;
  for (const auto& [key, entry] : from)
    if (const auto known = to.find(key); known != to.end()) add(known->second, entry);
    else if (to.size() < limit) to.emplace(key, entry);
    else ++left_out;
  return left_out;
}

}  // namespace

void add(Summary& to, const Summary& from) {
  to.ranks += from.ranks;
  to.run_s += from.run_s;
  to.cost_s += from.cost_s;
  to.start_s += from.start_s;
  to.cost_at_most = to.cost_at_most || from.cost_at_most;
  to.missed += from.missed;
  to.nested += from.nested;
  to.objects_left_out += from.objects_left_out;
  to.parts_left_out += from.parts_left_out;
  to.every = std::max(to.every, from.every);
  to.samples += from.samples;
  add_all(to.variables, from.variables);
  add_all(to.changes, from.changes);
  to.parts_left_out += add_all(to.parts, from.parts, Parts::most);
  add_all(to.functions, from.functions);
}

Summary summarize(Monitor& monitor, const cairn::Regions& regions, const std::string& program) {
  Summary out;
  out.program = program;
  out.ranks = 1;
  out.run_s = monitor.run_s();
  out.cost_s = monitor.cost_s();
  out.start_s = monitor.start_s();
  out.missed = monitor.missed_calls();
  out.nested = monitor.nested_calls();
  out.every = monitor.rate().every();
  out.objects_left_out = monitor.sources().objects_left_out();
  out.left_out = monitor.sources().left_out();
#ifdef MPICH_VERSION
  constexpr bool is_mpich = true;
#else
  constexpr bool is_mpich = false;
#endif
  if (monitor.sources().library_has_none()) out.nothing_to_see = formats::vars::no_variables(is_mpich);
  out.interval_s = monitor.sampler().interval_s();
  out.samples = monitor.sampler().times();
  std::vector<VariableSummary> variables;
  for (const Variable& variable : monitor.sources().variables()) {
    variables.push_back(summary_of(variable));
    add_samples(variables.back(), monitor.sampler().sampled(), variables.size() - 1);
    out.variables[key_of(variables.back().name, variables.back().of_class)] = variables.back();
  }
  out.parts_left_out = monitor.sources().parts().left_out();
  for (const auto& [key, kept] : monitor.sources().parts().kept()) {
    PartSummary part = part_of(key, kept, variables[key.variable]);
    std::string name = key_of(key, part);
    out.parts.emplace(std::move(name), std::move(part));
  }
  for (const Row& row : monitor.rows().all()) {
    out.functions[cairn::facts(row.function).name].samples += row.samples;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (row.cells[i].samples == 0) continue;
      Change change = change_of(row, row.cells[i], variables[i], regions, program);
      std::string key = key_of(change);
      if (const auto [known, is_new] = out.changes.try_emplace(std::move(key), change); !is_new)
        add(known->second, change);
    }
  }
  return out;
}

double step_of_series(const Summary& summary, double origin) {
  double step = 0;
  for (const auto& [key, variable] : summary.variables) step = std::max(step, variable.series.step_from(origin));
  return step;
}

void align_series(Summary& summary, double step, double origin) {
  if (step > 0) summary.series_origin_s = std::floor(origin / step) * step;
  for (auto& [key, variable] : summary.variables) variable.series.align(step, origin);
}

void keep_by_rank(Summary& summary, int rank) {
  for (auto& [key, variable] : summary.variables) {
    RankFigures own{rank,
                    variable.attributed,
                    variable.elsewhere,
                    variable.sum_of_values,
                    variable.samples,
                    variable.sum_of_last_samples,
                    {}};
    if (variable.samples.moved())
      for (const Samples& point : variable.series.points)
        own.means.push_back(point.count == 0 ? std::numeric_limits<double>::quiet_NaN() : point.mean());
    variable.by_rank.assign(1, std::move(own));
  }
}

void drop_unchanged(Summary& summary) {
  std::erase_if(summary.changes, [](const auto& entry) { return entry.second.changed == 0; });
  std::erase_if(summary.parts,
                [](const auto& entry) { return entry.second.changed == 0 && entry.second.elsewhere == 0; });
}

void name_places(Summary& summary, const cairn::Symbols* symbols) {
  for (auto& [key, change] : summary.changes) {
    cairn::SourcePlace place{};
    formats::SourcePosition& known = change.place;
    if (known.object.empty() || symbols == nullptr || symbols->find(known.object.c_str(), known.offset, &place) != 0)
      continue;
    known.file = place.file;
    known.caller = place.function;
    known.line = place.line;
  }
}

}  // namespace vars
