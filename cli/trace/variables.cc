// SPDX-License-Identifier: BSD-3-Clause
// variables.cc - the series of ranks in vars.json

#include "cli/trace/variables.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "formats/readers.hpp"
#include "formats/run.hpp"
#include "formats/tags.hpp"

namespace cairn::cli {

namespace {

using formats::Json;
using report::at;
using report::number_at;

constexpr double most_named_ranks = 1 << 20;
constexpr double most_ns = 1e18;

SampledVariable variable_of(const Json& json) {
  SampledVariable made;
  made.name = report::text_at(json, "name");
  made.description = report::text_at(json, "description");
  made.step_ns = 1e9 * number_at(at(json, "series"), "step_s");
  for (const Json& one : at(json, "by_rank")) {
    const double rank = number_at(one, "rank");
    if (!at(one, "means").is_array() || !(rank >= 0 && rank < most_named_ranks)) continue;
    std::vector<double>& means = made.means[static_cast<int>(rank)];
    for (const Json& mean : one["means"])
      means.push_back(mean.is_number() ? mean.get<double>() : std::numeric_limits<double>::quiet_NaN());
  }
  return made;
}

SampledVariables variables_of(const Json& json) {
  SampledVariables made;
  const Json& sampling = at(json, "sampling");
  if (!sampling.is_object() || !sampling.contains("series_origin_ns")) return made;
  const double origin = number_at(sampling, "series_origin_ns");
  if (!(origin >= 0 && origin < most_ns)) return made;
  made.origin_ns = static_cast<std::int64_t>(origin);
  for (const Json& variable : at(json, "variables"))
    if (SampledVariable one = variable_of(variable); one.step_ns >= 1 && one.step_ns < 1e15 && !one.means.empty())
      made.all.push_back(std::move(one));
  return made;
}

}  // namespace

SampledVariables read_variables(const std::string& folder, std::vector<Problem>& warnings) {
  const std::string path = folder + "/vars.json";
  if (!std::filesystem::exists(path)) return {};
  try {
    return variables_of(report::parse_result(path, formats::run::of_folder(folder).identity, formats::vars_tag));
  } catch (const formats::Damaged& damage) {
    warnings.emplace_back("'" + path + "' is damaged: " + damage.what());
  } catch (const Problem& problem) {
    warnings.push_back(problem);
  }
  return {};
}

std::vector<VariableValue> values_of(const SampledVariables& variables, int rank) {
  std::vector<VariableValue> values;
  for (std::uint32_t number = 0; number < variables.all.size(); ++number) {
    const SampledVariable& variable = variables.all[number];
    const auto found = variable.means.find(rank);
    if (found == variable.means.end()) continue;
    for (std::size_t i = 0; i < found->second.size(); ++i)
      if (const double value = found->second[i]; !std::isnan(value))
        values.push_back(
            {variables.origin_ns + std::llround(static_cast<double>(i) * variable.step_ns), number, value});
  }
  std::ranges::stable_sort(values, {}, &VariableValue::ns);
  return values;
}

}  // namespace cairn::cli
