// SPDX-License-Identifier: BSD-3-Clause
// objective.cc - takes the figure from the clock, the output or the profile of a run

#include "cli/tune/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/message.hpp"

namespace cairn::tune {

namespace {

using nlohmann::json;

Measured of_number(double number, const std::string& what) {
  if (std::isfinite(number) && number > 0) return {number};
  return {std::nullopt, fmt::format("{} is {}, and only numbers greater than 0 can be compared", what, number)};
}

/// The library's matcher takes stack for each character, and time for each pair of them.
constexpr std::size_t longest_line = 2000;

/// Of the last match.
std::string last_in(const std::string& output, const std::regex& form) {
  std::string found;
  for (std::size_t begin = 0, end = 0; begin < output.size(); begin = end + 1) {
    end = std::min(output.find_first_of("\n\r", begin), output.size());
    if (end - begin > longest_line) continue;
    const auto from = output.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto until = output.begin() + static_cast<std::ptrdiff_t>(end);
    for (std::sregex_iterator match(from, until, form), none; match != none; ++match) found = (*match)[1];
  }
  return found;
}

Measured of_output(const std::string& output, const std::regex& form, const std::string& expression) {
  const std::string found = last_in(output, form);
  double number = 0;
  const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), number);
  if (!found.empty() && error == std::errc{} && end == found.data() + found.size())
    return of_number(number, "the figure");
  return {std::nullopt, found.empty() ? "nothing in its output matches '" + expression + "'"
                                      : "'" + found + "' in its output is not a number"};
}

Measured of_profile(const std::string& folder, const std::string& pointer) {
  std::ifstream in(folder + "/profile.json");
  if (!in) return {std::nullopt, "it wrote no profile.json: the command must contain 'cairn run --tools profile'"};
  const json profile = json::parse(in, nullptr, false);
  const json::json_pointer place(pointer);
  if (profile.is_discarded() || !profile.contains(place) || !profile[place].is_number())
    return {std::nullopt, "there is no number at '" + pointer + "' in its profile.json"};
  return of_number(profile[place], "the figure");
}

}  // namespace

Objective::Objective(const std::string& expression, const std::string& pointer)
    : expression_(expression), pointer_(pointer) {
  try {
    form_ = expression;
  } catch (const std::regex_error& error) {
    throw Problem("'" + expression + "' is not a regular expression", "ECMAScript syntax, such as 'time: ([0-9.]+) s'",
                  "--figure " + expression);
  }
  if (!expression.empty() && form_.mark_count() != 1)
    throw Problem("'" + expression + "' must have exactly one group, for the number", "'time: ([0-9.]+) s'",
                  "--figure " + expression);
  try {
    static_cast<void>(json::json_pointer(pointer));
  } catch (const json::exception&) {
    throw Problem("'" + pointer + "' is not a JSON pointer", "/mpi_time_s/mean", "--profile " + pointer);
  }
}

Measured Objective::measure(const cli::Trial& trial, const std::string& folder) const {
  if (trial.interrupted) return {std::nullopt, "", true};
  if (const std::string why = trial.why_failed(); !why.empty()) return {std::nullopt, why};
  if (!pointer_.empty()) return of_profile(folder, pointer_);
  return expression_.empty() ? Measured{trial.seconds} : of_output(trial.output, form_, expression_);
}

std::string Objective::text() const {
  if (!pointer_.empty()) return pointer_ + " of profile.json";
  return expression_.empty() ? "wall time of the command in s" : "figure '" + expression_ + "' of the output";
}

}  // namespace cairn::tune
