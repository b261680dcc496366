// SPDX-License-Identifier: BSD-3-Clause
// report.cc - the table of settings and the command line to use

#include "cli/tune/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "cli/settings/setting.hpp"
#include "formats/tags.hpp"

namespace cairn::tune {

namespace {

constexpr const char* fate_words[] = {"running", "failed", "slower", "no gain", "beaten"};

std::string words_text(const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  for (const std::string& word : words) texts.push_back(quoted_for_shell(word));
  return join(texts, " ");
}

double percent(double log_gain, const SearchOptions& options) {
  return 100 * part_gained(log_gain, options.larger_is_better);
}

std::string gain_text(const Entry& entry, const SearchOptions& options) {
  if (entry.figures.empty()) return "";
  const std::string mean = fmt::format("{:+.1f} %", percent(entry.gain.mean, options));
  if (!std::isfinite(entry.gain.low)) return mean;
  return mean +
         fmt::format(" ({:+.1f} to {:+.1f} %)", percent(entry.gain.low, options), percent(entry.gain.high, options));
}

std::string fate_text(const Entry& entry, const SearchOptions& options) {
  switch (entry.fate) {
    case Fate::failed:
      return "failed: " + entry.why;
    case Fate::slower:
      return "worse than the first";
    case Fate::no_gain:
      return fmt::format("gains less than {:g} %", 100 * options.worth);
    case Fate::beaten:
      return "no better than another";
    case Fate::running:
      break;
  }
  return "";
}

std::string row(const std::string& setting, std::size_t width, const Entry& entry, const std::string& gain,
                const std::string& remark) {
  const std::string figures =
      entry.figures.empty()
          ? fmt::format("{:>11}  {:>7}", "-", "-")
          : fmt::format("{:>11.5g}  {:>5.1f} %", policy::median(entry.figures), 100 * policy::spread(entry.figures));
  std::string out =
      fmt::format("  {:<{}}  {:>4}  {}  {:<32}  {}", setting, width, entry.figures.size(), figures, gain, remark);
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string table(const Result& result, const SearchOptions& options) {
  std::size_t width = 7;
  for (const Candidate& candidate : result.candidates) width = std::max(width, text_of(candidate).size());
  std::string out = fmt::format("  {:<{}}  runs       median   spread  gain over the first\n", "setting", width);
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    const Entry& entry = result.found.entries[i];
    out += row(text_of(result.candidates[i]), width, entry, i == 0 ? "" : gain_text(entry, options),
               fate_text(entry, options));
  }
  return out;
}

std::string how_to_use(const Report& report, const Candidate& best) {
  std::string environment;
  std::string options;
  for (const auto& [name, value] : best) {
    environment += quoted_for_shell(cli::environment_name(name) + "=" + value) + " ";
    options += " --set " + quoted_for_shell(name + "=" + escape(value, "@"));
  }
  return fmt::format("use:  {}{}\nor:   {} in front of the program\n", environment, words_text(report.command),
                     "cairn run" + options);
}

/// What stands in for an answer where there is none.
std::string no_better(const Report& report) {
  if (const std::string why = report.why_ended_early(); !why.empty()) return "no answer: " + why + "\n";
  if (report.results.back().found.rounds < report.options.least_rounds)
    return fmt::format("no answer: fewer than {} rounds were made\n", report.options.least_rounds);
  return "no setting is better than the default beyond noise: keep the default\n";
}

}  // namespace

Candidate Report::best() const {
  if (results.empty()) return {};
  const Result& last = results.back();
  if (last.found.best == 0 && last.found.entries.front().fate == Fate::failed) return {};
  return last.candidates[last.found.best];
}

std::string Report::why_ended_early() const {
  for (const Result& result : results) {
    const Candidate& base = result.candidates.front();
    if (const Entry& entry = result.found.entries.front(); entry.fate == Fate::failed)
      return "the command failed " + (base.empty() ? "without any setting" : "with " + text_of(base)) + ": " +
             entry.why;
  }
  return "";
}

std::string text_of(const Report& report) {
  std::string out = fmt::format("cairn tune: {}\nobjective: {}, {} is better\n", words_text(report.command),
                                report.objective, report.options.larger_is_better ? "more" : "less");
  for (const Result& result : report.results)
    out += fmt::format("\nafter {} round{}{}:\n", result.found.rounds, result.found.rounds == 1 ? "" : "s",
                       result.found.interrupted ? ", interrupted" : "") +
           table(result, report.options);
  out += fmt::format("\nwith {:g} % confidence all intervals of {} hold\n", 100 * report.options.confidence,
                     report.results.size() > 1 ? "a table" : "the table");
  const Candidate best = report.best();
  return out + (best.empty() ? no_better(report) : "best: " + text_of(best) + "\n" + how_to_use(report, best));
}

nlohmann::ordered_json json_of(const Report& report) {
  using Json = nlohmann::ordered_json;
  const auto values = [](const Candidate& candidate) {
    Json out = Json::object();
    for (const auto& [name, value] : candidate) out[name] = value;
    return out;
  };
  Json out = {{"format", formats::tune_tag.text()},
              {"command", report.command},
              {"objective", report.objective},
              {"larger_is_better", report.options.larger_is_better},
              {"confidence", report.options.confidence},
              {"searches", Json::array()},
              {"best", values(report.best())}};
  for (const Result& result : report.results) {
    Json search = {{"rounds", result.found.rounds}, {"interrupted", result.found.interrupted}};
    search["settings"] = Json::array();
    for (std::size_t i = 0; i < result.candidates.size(); ++i) {
      const Entry& entry = result.found.entries[i];
      Json one = {{"set", values(result.candidates[i])},
                  {"figures", entry.figures},
                  {"fate", fate_words[static_cast<int>(entry.fate)]}};
      if (!entry.why.empty()) one["why"] = entry.why;
      if (i > 0 && std::isfinite(entry.gain.low))
        one["gain"] = {{"mean", percent(entry.gain.mean, report.options) / 100},
                       {"low", percent(entry.gain.low, report.options) / 100},
                       {"high", percent(entry.gain.high, report.options) / 100}};
      search["settings"].push_back(std::move(one));
    }
    out["searches"].push_back(std::move(search));
  }
  return out;
}

}  // namespace cairn::tune
