// SPDX-License-Identifier: BSD-3-Clause
// journal.cc - joining what ranks did, and showing it

#include "journal.hpp"

#define FMT_HEADER_ONLY
#define FMT_STATIC_THOUSANDS_SEPARATOR ','  // spares the tool the C++ library's locales, half its size
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "policy/statistics.hpp"
#include "shared/ranks_text.hpp"
#include "shared/travel.hpp"

namespace policy {

using Json = nlohmann::ordered_json;

// How the ranks' results travel.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RuleFigures, title, looks, held, acted, taken_back, cost_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Event, kind, rule, variable, from, to, text, first_s, last_s, times, ranks, order)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Differences, count, mean, squares)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Journal, policy, tool, dry_run, ranks, run_s, rules, timed_calls, timing, events,
                                   events_left_out)

namespace {

std::vector<Event> in_time(const Journal& journal) {
  std::vector<Event> events;
  for (const auto& [key, event] : journal.events) events.push_back(event);
  std::ranges::sort(events, {}, [](const Event& event) { return std::pair(event.first_s, event.order); });
  return events;
}

std::string ranks_of(const Journal& journal, const Event& event) {
  if (event.ranks.size() == static_cast<std::size_t>(journal.ranks)) return "all ranks";
  return (event.ranks.size() == 1 ? "rank " : "ranks ") + shared::ranks_text(event.ranks);
}

std::string what(const Event& event) {
  std::string text = event.kind == "note" ? event.text : event.kind;
  if (!event.variable.empty()) text += fmt::format(" {}: {} -> {}", event.variable, event.from, event.to);
  if (event.kind != "note" && !event.text.empty()) text += fmt::format(" ({})", event.text);
  return text;
}

std::string line_of(const Journal& journal, const Event& event) {
  const double each =
      static_cast<double>(event.times) / static_cast<double>(std::max<std::size_t>(event.ranks.size(), 1));
  const std::string times = each > 1 ? fmt::format(", {:.3g} times until {:.2f} s", each, event.last_s) : "";
  return fmt::format("  {:>8.2f} s  {}: {} on {}{}\n", event.first_s, event.rule, what(event), ranks_of(journal, event),
                     times);
}

/// Parts of the run, with 95 % confidence; an interval without bounds for less than two differences.
cairn::policy::Interval timing_share(const Journal& journal) {
  const cairn::policy::Interval one =
      cairn::policy::mean_interval(journal.timing.mean, journal.timing.squares, journal.timing.count, 0.05);
  const double scale = 1e-9 * journal.timed_calls / std::max(journal.run_s, 1e-9);
  return {scale * one.mean, scale * one.low, scale * one.high};
}

/// What cannot be told from nothing is told by its bound.
std::string cost_line(const Journal& journal, double looks_s) {
  std::string text = fmt::format("  looking took {:.2g} % of the run", 100 * looks_s / std::max(journal.run_s, 1e-9));
  if (journal.timed_calls <= 0) return text + "\n";
  constexpr std::uint64_t enough = 5;
  const cairn::policy::Interval share = timing_share(journal);
  if (journal.timing.count < enough) text += ", timing calls was not measured: there were too few";
  else if (share.low <= 0) text += fmt::format(", timing calls {:.2g} % at most", 100 * std::max(share.high, 0.0));
  else
    text += fmt::format(", timing calls {:.2g} % ({:.2g} to {:.2g} %)", 100 * share.mean, 100 * share.low,
                        100 * share.high);
  return text + "\n";
}

}  // namespace

std::string Event::key() const { return rule + '\n' + kind + '\n' + variable + '\n' + from + '\n' + to + '\n' + text; }

void Journal::add(Event event) {
  const std::string key = event.key();
  const auto known = events.find(key);
  if (known == events.end()) {
    if (event.order == 0) event.order = events.size() + 1;
    if (events.size() < most_events) events.emplace(key, std::move(event));
    else ++events_left_out;
    return;
  }
  Event& old = known->second;
  old.first_s = std::min(old.first_s, event.first_s);
  old.last_s = std::max(old.last_s, event.last_s);
  old.times += event.times;
  old.ranks.insert(old.ranks.end(), event.ranks.begin(), event.ranks.end());
  std::ranges::sort(old.ranks);
  old.ranks.erase(std::ranges::unique(old.ranks).begin(), old.ranks.end());
}

void Journal::add(const Journal& other) {
  ranks += other.ranks;
  run_s += other.run_s;
  timed_calls += other.timed_calls;
  timing.add(other.timing);
  events_left_out += other.events_left_out;
  for (std::size_t i = 0; i < rules.size() && i < other.rules.size(); ++i) {
    rules[i].looks += other.rules[i].looks;
    rules[i].held += other.rules[i].held;
    rules[i].acted += other.rules[i].acted;
    rules[i].taken_back += other.rules[i].taken_back;
    rules[i].cost_s += other.rules[i].cost_s;
  }
  for (const auto& [key, event] : other.events) add(event);
}

std::string pack(const Journal& journal) { return shared::to_bytes(journal); }

Journal unpack(const std::string& bytes) { return shared::from_bytes<Journal>(bytes); }

std::string format_table(const Journal& journal, unsigned most_lines) {
  std::string text =
      fmt::format("{}: '{}' on {} rank{}{}\n", journal.tool, journal.policy, journal.ranks,
                  journal.ranks == 1 ? "" : "s", journal.dry_run ? ", dry run: nothing was changed" : "");
  double cost_s = 0;
  for (const RuleFigures& rule : journal.rules) {
    cost_s += rule.cost_s;
    text += fmt::format("  {}: {} looks, condition held {}, acted {}, taken back {}; {:.2g} us per look\n", rule.title,
                        rule.looks, rule.held, rule.acted, rule.taken_back,
                        1e6 * rule.cost_s / static_cast<double>(std::max<std::uint64_t>(rule.looks, 1)));
  }
  const std::vector<Event> events = in_time(journal);
  for (std::size_t i = 0; i < events.size() && i < most_lines; ++i) text += line_of(journal, events[i]);
  if (events.size() > most_lines)
    text += fmt::format("  {} further events are in policy.json\n", events.size() - most_lines);
  if (journal.events_left_out > 0) text += fmt::format("  {} further events are not kept\n", journal.events_left_out);
  return text + cost_line(journal, cost_s);
}

std::string format_json(const Journal& journal) {
  Json out = {{"format", "cairn-policy 1"}};
  if (!journal.run.empty()) out["run"] = journal.run;
  out["tool"] = journal.tool;
  out["policy"] = journal.policy;
  out["dry_run"] = journal.dry_run;
  out["ranks"] = journal.ranks;
  out["run_s"] = journal.run_s;
  if (journal.rank >= 0) out["part"] = {{"rank", journal.rank}, {"ended_by", journal.ended_by}};
  out["rules"] = Json::array();
  for (const RuleFigures& rule : journal.rules)
    out["rules"].push_back({{"title", rule.title},
                            {"looks", rule.looks},
                            {"held", rule.held},
                            {"acted", rule.acted},
                            {"taken_back", rule.taken_back},
                            {"cost_s", rule.cost_s}});
  if (journal.timing.count > 1) {
    const cairn::policy::Interval share = timing_share(journal);
    out["timing_share"] = {{"mean", share.mean}, {"low", share.low}, {"high", share.high}};
  }
  out["events"] = Json::array();
  for (const Event& event : in_time(journal))
    out["events"].push_back({{"first_s", event.first_s},
                             {"last_s", event.last_s},
                             {"times", event.times},
                             {"ranks", shared::ranks_text(event.ranks)},
                             {"rule", event.rule},
                             {"kind", event.kind},
                             {"variable", event.variable},
                             {"from", event.from},
                             {"to", event.to},
                             {"text", event.text}});
  out["events_left_out"] = journal.events_left_out;
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace policy
