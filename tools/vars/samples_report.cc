// SPDX-License-Identifier: BSD-3-Clause
// samples_report.cc - lines and JSON of sampled variables

#include "samples_report.hpp"

#include <algorithm>

namespace vars {

namespace {

/// The longest that a point of any variable's series stands for; 0: there are none.
double step_of(const Summary& summary) {
  double step = 0;
  for (const auto& [key, variable] : summary.variables) step = std::max(step, variable.series.step);
  return step;
}

double last_of(const VariableSummary& variable) { return variable.sum_of_last_samples / variable.ranks; }

std::string heading(const Summary& summary) {
  const double step = step_of(summary);
  return fmt::format("  sampled {} times, every {} s {}{}\n", summary.samples, number(summary.interval_s),
                     summary.sampling_thread ? "by a thread" : "at the next call",
                     step > 0 ? fmt::format("; points of the series are of {} s", number(step)) : "");
}

}  // namespace

std::string samples_table(const Summary& summary) {
  if (summary.samples == 0) return {};
  std::string out = heading(summary);
  out += fmt::format("  {:<36} {:<13} {:>9} {:>14} {:>14} {:>14} {:>14}\n", "variable", "class", "samples", "least",
                     "mean", "most", "last, mean");
  for (const auto& [key, variable] : summary.variables) {
    const Samples& samples = variable.samples;
    if (!samples.moved()) continue;
    out += fmt::format("  {:<36} {:<13} {:>9} {:>14} {:>14} {:>14} {:>14}\n", variable.name, variable.of_class,
                       samples.count, number(samples.least), number(samples.mean()), number(samples.most),
                       number(last_of(variable)));
  }
  return out;
}

Json sampling_json(const Summary& summary) {
  if (summary.samples == 0) return nullptr;
  Json out = {{"every_s", number_json(summary.interval_s)},
              {"by", summary.sampling_thread ? "thread" : "calls"},
              {"samples", summary.samples}};
  if (const double step = step_of(summary); step > 0) out["series_step_s"] = number_json(step);
  return out;
}

void add_samples(const VariableSummary& variable, Json& entry) {
  const Samples& samples = variable.samples;
  if (samples.count == 0) return;
  entry["sampled"] = {{"samples", samples.count},
                      {"min", number_json(samples.least)},
                      {"mean", number_json(samples.mean())},
                      {"max", number_json(samples.most)},
                      {"last", number_json(last_of(variable))}};
  if (variable.series.step <= 0 || !samples.moved()) return;
  Json points = Json::array();
  for (const Samples& point : variable.series.points)
    points.push_back(
        point.count == 0 ? Json() : Json{number_json(point.least), number_json(point.mean()), number_json(point.most)});
  entry["series"] = {{"step_s", number_json(variable.series.step)}, {"points", points}};
}

}  // namespace vars
