// SPDX-License-Identifier: BSD-3-Clause
// journal.hpp - what a policy did: figures of its rules, and events; plain data without MPI's types
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/policy.hpp"
#include "timing_cost.hpp"

namespace policy {

using cairn::formats::policy::Event;
using cairn::formats::policy::RuleFigures;

/// What tells events apart.
std::string key_of(const Event& event);

struct Journal {
  static constexpr std::size_t most_events = 1000;  // of different kinds, per rank

  std::string run;  // identity
  std::string policy;
  std::string tool;
  bool dry_run = false;
  int ranks = 0;
  cairn::formats::Part part;  // of one rank, where the run came to no good end
  double run_s = 0;           // over the ranks
  std::vector<RuleFigures> rules;
  double timed_calls = 0;  // for `time` and `call_time`
  Differences timing;      // what timing costs one of them
  std::map<std::string, Event> events;
  std::uint64_t events_left_out = 0;

  void add(Event event);
  /// Another rank's.
  void add(const Journal& other);
  /// This rank's, of the policy that was followed before this one.
  void follow(const Journal& before);

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
