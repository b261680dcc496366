// SPDX-License-Identifier: BSD-3-Clause
// journal.cc - joining what ranks did, and showing it

#include "journal.hpp"

#include <algorithm>

#include "formats/numbers.hpp"
#include "formats/ranks.hpp"
#include "formats/text.hpp"
#include "policy/statistics.hpp"

namespace policy {

using namespace cairn::formats;

namespace {

std::vector<Event> in_time(const Journal& journal) {
  std::vector<Event> events;
  for (const auto& [key, event] : journal.events) events.push_back(event);
  std::ranges::sort(events, {}, [](const Event& event) { return std::pair(event.first_s, event.order); });
  return events;
}

std::string who(const Journal& journal, const Event& event) {
  if (event.ranks.size() == static_cast<std::size_t>(journal.ranks)) return "all ranks";
  return named_ranks(event.ranks);
}

std::string line_of(const Journal& journal, const Event& event) {
  const double each =
      static_cast<double>(event.times) / static_cast<double>(std::max<std::size_t>(event.ranks.size(), 1));
  const std::string times =
      each > 1 ? cat({", ", significant(each, 3), " times until ", fixed(event.last_s, 2), " s"}) : "";
  return cat({"  ", right(fixed(event.first_s, 2), 8), " s  ", event.rule, ": ",
              cairn::formats::policy::words_of(event), " on ", who(journal, event), times, "\n"});
}

/// Fractions of the run, with 95 % confidence; an interval without lower bound if there are fewer than two differences.
/// On a loaded machine a few windows that were interrupted may stand for more than there is: it is never more than all.
cairn::policy::Interval timing_share(const Journal& journal) {
  const cairn::policy::Interval one =
      cairn::policy::mean_interval(journal.timing.mean, journal.timing.squares, journal.timing.count, 0.05);
  const double scale = 1e-9 * journal.timed_calls / std::max(journal.run_s, 1e-9);
  return {std::min(scale * one.mean, 1.0), std::min(scale * one.low, 1.0), std::min(scale * one.high, 1.0)};
}

/// A cost that cannot be distinguished from zero is given as an upper bound.
std::string cost_line(const Journal& journal, double looks_s) {
  const auto of_run = [](double share) { return significant(100 * share, 2); };
  const std::string text = cat({"  looking took ", of_run(looks_s / std::max(journal.run_s, 1e-9)), " % of the run"});
  if (journal.timed_calls <= 0) return text + "\n";
  constexpr std::uint64_t enough = 5;
  const cairn::policy::Interval share = timing_share(journal);
  if (journal.timing.count < enough) return text + ", the cost of timing calls was not measured: there were too few\n";
  if (share.low <= 0) return cat({text, ", timing calls ", of_run(std::max(share.high, 0.0)), " % at most\n"});
  return cat(
      {text, ", timing calls ", of_run(share.mean), " % (", of_run(share.low), " to ", of_run(share.high), " %)\n"});
}

std::string line_of(const RuleFigures& rule) {
  const double us_per_look = 1e6 * rule.cost_s / static_cast<double>(std::max<std::uint64_t>(rule.looks, 1));
  return cat({"  ", rule.title, ": ", rule.looks, " looks, condition held ", rule.held, ", acted ", rule.acted,
              ", taken back ", rule.taken_back, "; ", significant(us_per_look, 2), " us per look\n"});
}

}  // namespace

std::string key_of(const Event& event) {
  return cat({event.rule, "\n", event.kind, "\n", event.variable, "\n", event.from, "\n", event.to, "\n", event.text});
}

void Journal::add(Event event) {
  const std::string key = key_of(event);
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
  old.ranks.erase(std::unique(old.ranks.begin(), old.ranks.end()), old.ranks.end());
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

void Journal::follow(const Journal& before) {
  policy = before.policy + ", " + policy;
  timed_calls += before.timed_calls;
  timing.add(before.timing);
  events_left_out += before.events_left_out;
  rules.insert(rules.begin(), before.rules.begin(), before.rules.end());
  for (const auto& [key, event] : before.events) add(event);
}

std::string format_table(const Journal& journal, unsigned most_lines) {
  std::string text =
      cat({journal.tool, ": '", journal.policy, "' on ", plural(static_cast<std::uint64_t>(journal.ranks), "rank"),
           journal.dry_run ? ", dry run: nothing was changed" : "", "\n"});
  double cost_s = 0;
  for (const RuleFigures& rule : journal.rules) {
    cost_s += rule.cost_s;
    text += line_of(rule);
  }
  const std::vector<Event> events = in_time(journal);
  for (std::size_t i = 0; i < events.size() && i < most_lines; ++i) text += line_of(journal, events[i]);
  if (events.size() > most_lines)
    text += cat({"  ", events.size() - most_lines, " further events are in policy.json\n"});
  if (journal.events_left_out > 0) text += cat({"  ", journal.events_left_out, " further events were not recorded\n"});
  return text + cost_line(journal, cost_s);
}

std::string format_json(const Journal& journal) {
  cairn::formats::policy::Summary file;
  file.run = journal.run;
  file.tool = journal.tool;
  file.policy = journal.policy;
  file.dry_run = journal.dry_run;
  file.ranks = journal.ranks;
  file.run_s = journal.run_s;
  file.part = journal.part;
  file.rules = journal.rules;
  file.timing_share.is_known = journal.timing.count > 1;
  if (file.timing_share.is_known) {
    const cairn::policy::Interval share = timing_share(journal);
    file.timing_share = {share.mean, share.low, share.high};
  }
  file.events = in_time(journal);
  file.events_left_out = journal.events_left_out;
  return file_text(file);
}

}  // namespace policy
