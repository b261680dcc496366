// SPDX-License-Identifier: BSD-3-Clause
// advice_output.cc - what was found, for people, for programs and for the report

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "cli/advise/advice.hpp"
#include "cli/report/wording.hpp"
#include "formats/tags.hpp"

namespace cairn::advise {

namespace {

using policy::Finding;
using policy::Value;

std::string time_of(double seconds) { return format_value(Value::number(seconds), policy::Text::Unit::time); }
std::string part_of(double share) { return format_value(Value::number(share), policy::Text::Unit::percent); }

/// Null where it is not known.
nlohmann::ordered_json place_json(const Advice& advice) {
  if (advice.file.empty() && advice.function.empty()) return nullptr;
  nlohmann::ordered_json place = {{"file", nullptr}, {"line", nullptr}, {"function", nullptr}};
  if (!advice.file.empty()) place["file"] = advice.file;
  if (advice.line > 0) place["line"] = advice.line;
  if (!advice.function.empty()) place["function"] = advice.function;
  return place;
}

}  // namespace

std::string command_of(const Advice& advice) {
  if (advice.settings.empty()) return {};
  std::string text = "cairn run";
  for (const auto& [name, value] : advice.settings) {
    const bool is_word = value.find_first_of(" \t'\"\\$;&|<>*?()") == std::string::npos;
    text += fmt::format(" --set {}{}={}{}", is_word ? "" : "'", name, value, is_word ? "" : "'");
  }
  return text;
}

/// Its error where that matters.
std::string predicted_text(const Advice& advice) {
  constexpr double little = 0.01;  // of the run
  const double error = advice.predicted_error_s;
  return time_of(advice.predicted_run_s) +
         (error >= little * advice.predicted_run_s ? " ± " + time_of(error) : std::string());
}

/// An upper limit unless it has been predicted. A prediction may be that nothing is gained: then others are as late.
std::vector<std::string> figures_of(const Advice& advice) {
  constexpr double nothing = 0.001;  // of the run
  const bool is_predicted = std::isfinite(advice.predicted_run_s);
  const std::string how =
      fmt::format("sure: {}, {}", word_of(advice.sureness), advice.is_measured ? "measured" : "a guess");
  if (std::isnan(advice.cost_s)) return {"cost and gain: not known; " + how};
  std::vector<std::string> lines;
  if (is_predicted || advice.cost_s != advice.gain_s)
    lines.push_back(fmt::format("cost: {} ({} of the run)", time_of(advice.cost_s), part_of(advice.cost_share)));
  if (is_predicted && advice.gain_share < nothing)
    lines.push_back("gain: none of this alone, as others are late, too; " + how);
  else
    lines.push_back(fmt::format("gain: {}{} ({} of the run{}); {}", is_predicted ? "" : "up to ",
                                time_of(advice.gain_s), part_of(advice.gain_share),
                                is_predicted ? ", which is predicted to take " + predicted_text(advice) : "", how));
  return lines;
}

nlohmann::ordered_json advice_json(const Advice& advice) {
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (const auto& [name, value] : advice.settings) settings[name] = value;
  return {{"title", advice.title},
          {"kind", advice.kind},
          {"place", place_json(advice)},
          {"ranks", advice.ranks.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(advice.ranks)},
          {"cost_s", report::known(advice.cost_s)},
          {"cost_share", report::known(advice.cost_share)},
          {"measured", advice.is_measured},
          {"predicted_run_s", report::known(advice.predicted_run_s)},
          {"predicted_error_s", report::known(advice.predicted_error_s)},
          {"gain_s", report::known(advice.gain_s)},
          {"gain_share", report::known(advice.gain_share)},
          {"sure", word_of(advice.sureness)},
          {"evidence", advice.evidence},
          {"remedy", advice.remedy},
          {"settings", std::move(settings)},
          {"others", advice.others}};
}

const char* word_of(Finding::Sureness sureness) {
  constexpr const char* words[] = {"low", "medium", "high"};
  return words[static_cast<int>(sureness)];
}

std::string advice_text(const Result& result, const Records& records) {
  const std::string subject = records.program.empty() ? "the run" : "'" + std::string(file_of(records.program)) + "'";
  const std::size_t found = result.advice.size() + result.left_out;
  std::string text = fmt::format("{} finding{} for {}{}\n", found, found == 1 ? "" : "s", subject,
                                 result.left_out == 0 ? "" : fmt::format(", {} shown", result.advice.size()));
  for (std::size_t i = 0; i < result.advice.size(); ++i) {
    const Advice& advice = result.advice[i];
    text += fmt::format("\n{}. {}\n", i + 1, advice.title);
    for (const std::string& line : figures_of(advice)) text += "   " + line + "\n";
    text += fmt::format("   why:  {}\n   do:   {}\n", advice.evidence, advice.remedy);
    if (!advice.settings.empty()) text += "         " + command_of(advice) + "\n";
    if (advice.others > 0) text += fmt::format("   and {} more like it\n", advice.others);
  }
  if (!result.for_want.empty())
    text +=
        fmt::format("\nnot checked, because the run had only {}: {}\n", join(records.tools, ", "), not_checked(result));
  return text;
}

std::string not_checked(const Result& result) {
  std::vector<std::string> wanted;
  for (const auto& [tools, number] : result.for_want)
    wanted.push_back(fmt::format("{} that need{} {}", number, number == 1 ? "s" : "", tools));
  return join(wanted, "; ");
}

nlohmann::ordered_json advice_json(const Result& result, const Records& records) {
  const auto run_s = records.run.find("run.time");
  nlohmann::ordered_json out = {{"format", formats::advice_tag.text()},
                                {"program", records.program},
                                {"tools", records.tools},
                                {"run_s", report::known(run_s == records.run.end() ? NAN : run_s->second.front())}};
  out["findings"] = nlohmann::ordered_json::array();
  for (const Advice& advice : result.advice) out["findings"].push_back(advice_json(advice));
  out["left_out"] = result.left_out;
  out["not_looked_at"] = result.not_looked_at;
  return out;
}

}  // namespace cairn::advise
