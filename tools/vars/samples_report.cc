// SPDX-License-Identifier: BSD-3-Clause
// samples_report.cc - lines and JSON of sampled variables

#include "samples_report.hpp"

#include <algorithm>
#include <cmath>

#include "formats/field_writer.hpp"
#include "formats/numbers.hpp"
#include "formats/rank_classes.hpp"
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
  const std::string when = summary.interval_s > 0 ? cat({"every ", plain_number(summary.interval_s), " s ",
                                                         summary.sampling_thread ? "by a thread" : "at the next call"})
                                                  : "when asked for";
  return cat({"  sampled ", summary.samples, " times, ", when,
              step > 0 ? cat({"; points of the series are of ", plain_number(step), " s"}) : "", "\n"});
}

/// One row of the table.
std::string line(const Piece& variable, const Piece& of_class, const Piece& samples, const Piece& least,
                 const Piece& mean, const Piece& deviation, const Piece& most, const Piece& last) {
  return cat({"  ", left(variable, 36), " ", left(of_class, 13), " ", right(samples, 9), " ", right(least, 14), " ",
              right(mean, 14), " ", right(deviation, 14), " ", right(most, 14), " ", right(last, 14), "\n"});
}

}  // namespace

std::string samples_table(const Summary& summary) {
  if (summary.samples == 0) return {};
  std::string out =
      heading(summary) + line("variable", "class", "samples", "least", "mean", "std. dev.", "most", "last, mean");
  for (const auto& [key, variable] : summary.variables) {
    const Spread& samples = variable.samples;
    if (!samples.moved()) continue;
    out +=
        line(variable.name, variable.of_class, samples.count, plain_number(samples.least), plain_number(samples.mean()),
             plain_number(samples.deviation()), plain_number(samples.most), plain_number(last_of(variable)));
  }
  return out;
}

void write_sampling(JsonWriter& json, const Summary& summary) {
  if (summary.samples == 0) return;
  json.object("sampling", [&] {
    json.number("every_s", summary.interval_s);
    json("by", summary.sampling_thread ? "thread" : summary.interval_s > 0 ? "calls" : "request");
    json("samples", summary.samples);
    const double step = step_of(summary);
    if (step <= 0) return;
    json.number("series_step_s", step);
    if (summary.series_origin_s > 0) json("series_origin_ns", std::llround(1e9 * summary.series_origin_s));
  });
}

namespace {

void write_sampled(JsonWriter& json, const Spread& samples, double last) {
  FieldWriter{json}("sampled", formats::vars::Sampled{samples.count, samples.least, samples.mean(), samples.deviation(),
                                                      samples.most, last});
}

}  // namespace

void write_samples(JsonWriter& json, const VariableSummary& variable) {
  const Spread& samples = variable.samples;
  if (samples.count == 0) return;
  write_sampled(json, samples, last_of(variable));
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

void write_ranks(JsonWriter& json, const VariableSummary& variable) {
  if (variable.by_rank.empty()) return;
  json.array("by_rank", variable.by_rank, [&](const RankFigures& one) {
    json.on_one_line([&] {
      json.object([&] {
        json("rank", one.rank);
        if (is_sum_of_changes(variable.way)) {
          json.number("in_calls", one.attributed);
          json.number("elsewhere", one.elsewhere);
        }
        json.number("value", one.value);
        if (one.samples.count != 0) write_sampled(json, one.samples, one.last_sample);
        if (!one.means.empty())
          json.array("means", one.means,
                     [&](double mean) { std::isnan(mean) ? json.put(nullptr) : json.put_number(mean); });
      });
    });
  });
}

/// What ranks are compared by: sampled values, changes, or what is left at the end.
double figure_of(const VariableSummary& variable, const RankFigures& one) {
  if (one.samples.count != 0) return one.samples.mean();
  return is_sum_of_changes(variable.way) ? one.attributed + one.elsewhere : one.value;
}

std::string ranks_table(const Summary& summary) {
  std::string out;
  for (const auto& [key, variable] : summary.variables) {
    std::vector<std::pair<int, double>> figures;
    for (const RankFigures& one : variable.by_rank) figures.emplace_back(one.rank, figure_of(variable, one));
    const std::vector<RankClass> classes = rank_classes(std::move(figures));
    if (classes.size() > 1) out += cat({"  ", variable.name, ": ", classes_text(classes), "\n"});
  }
  return out;
}

}  // namespace vars
