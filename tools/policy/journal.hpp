// SPDX-License-Identifier: BSD-3-Clause
// journal.hpp - what a policy did: figures of its rules, and events; plain data without MPI's types
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "timing_cost.hpp"

namespace policy {

struct RuleFigures {
  std::string title;
  std::uint64_t looks = 0;
  std::uint64_t held = 0;
  std::uint64_t acted = 0;
  std::uint64_t taken_back = 0;
  double cost_s = 0;

  static void members(auto& archive, auto& rule) {
    archive(rule.title, rule.looks, rule.held, rule.acted, rule.taken_back, rule.cost_s);
  }
};

/// The same thing on several ranks, or several times, is one event.
struct Event {
  std::string kind;  // set, would set, refused, taken back, kept, tried, note, stop
  std::string rule;
  std::string variable;
  std::string from;
  std::string to;
  std::string text;
  double first_s = 0;  // since MPI_Init
  double last_s = 0;
  std::uint64_t times = 1;
  std::vector<int> ranks;
  std::uint64_t order = 0;  // among those of one rank

  std::string key() const;
  static void members(auto& archive, auto& event) {
    archive(event.kind, event.rule, event.variable, event.from, event.to, event.text, event.first_s, event.last_s,
            event.times, event.ranks, event.order);
  }
};

struct Journal {
  static constexpr std::size_t most_events = 1000;  // of different kinds, per rank

  std::string run;  // identity
  std::string policy;
  std::string tool;
  bool dry_run = false;
  int ranks = 0;
  int rank = -1;         // of one rank's part, where the run came to no good end
  std::string ended_by;  // "SIGTERM"
  double run_s = 0;      // over the ranks
  std::vector<RuleFigures> rules;
  double timed_calls = 0;  // for `time` and `call_time`
  Differences timing;      // what timing costs one of them
  std::map<std::string, Event> events;
  std::uint64_t events_left_out = 0;

  void add(Event event);
  /// Another rank's.
  void add(const Journal& other);

  static void members(auto& archive, auto& journal) {  // those that another rank needs
    archive(journal.policy, journal.tool, journal.dry_run, journal.ranks, journal.run_s, journal.rules,
            journal.timed_calls, journal.timing, journal.events, journal.events_left_out);
  }
};

/// For people.
std::string format_table(const Journal& journal, unsigned most_lines);
/// policy.json (README.md).
std::string format_json(const Journal& journal);

}  // namespace policy
