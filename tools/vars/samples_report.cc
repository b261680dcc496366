// SPDX-License-Identifier: BSD-3-Clause
// samples_report.cc - lines and JSON of sampled variables

#include "samples_report.hpp"

#include <algorithm>

#include "formats/field_writer.hpp"
#include "formats/numbers.hpp"
#include "formats/vars.hpp"

namespace vars {

using namespace formats;

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
  return cat({"  sampled ", summary.samples, " times, every ", plain_number(summary.interval_s), " s ",
              summary.sampling_thread ? "by a thread" : "at the next call",
              step > 0 ? cat({"; points of the series are of ", plain_number(step), " s"}) : "", "\n"});
}

/// One row of the table.
std::string line(const Piece& variable, const Piece& of_class, const Piece& samples, const Piece& least,
                 const Piece& mean, const Piece& most, const Piece& last) {
  return cat({"  ", left(variable, 36), " ", left(of_class, 13), " ", right(samples, 9), " ", right(least, 14), " ",
              right(mean, 14), " ", right(most, 14), " ", right(last, 14), "\n"});
}

}  // namespace

std::string samples_table(const Summary& summary) {
  if (summary.samples == 0) return {};
  std::string out = heading(summary) + line("variable", "class", "samples", "least", "mean", "most", "last, mean");
  for (const auto& [key, variable] : summary.variables) {
    const Samples& samples = variable.samples;
    if (!samples.moved()) continue;
    out += line(variable.name, variable.of_class, samples.count, plain_number(samples.least),
                plain_number(samples.mean()), plain_number(samples.most), plain_number(last_of(variable)));
  }
  return out;
}

void write_sampling(JsonWriter& json, const Summary& summary) {
  if (summary.samples == 0) return;
  json.object("sampling", [&] {
    json.number("every_s", summary.interval_s);
    json("by", summary.sampling_thread ? "thread" : "calls");
    json("samples", summary.samples);
    if (const double step = step_of(summary); step > 0) json.number("series_step_s", step);
  });
}

void write_samples(JsonWriter& json, const VariableSummary& variable) {
  const Samples& samples = variable.samples;
  if (samples.count == 0) return;
  FieldWriter{json}(
      "sampled", formats::vars::Sampled{samples.count, samples.least, samples.mean(), samples.most, last_of(variable)});
  if (variable.series.step <= 0 || !samples.moved()) return;
  json.object("series", [&] {
    json.number("step_s", variable.series.step);
    json.array("points", variable.series.points, [&](const Samples& point) {
      if (point.count == 0) return json.put(nullptr);
      json.array([&] {
        for (const double value : {point.least, point.mean(), point.most}) json.put_number(value);
      });
    });
  });
}

}  // namespace vars
