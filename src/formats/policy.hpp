// SPDX-License-Identifier: BSD-3-Clause
// policy.hpp - policy.json (tools/policy/README.md): what a policy did; the keys of the file, and the members that travel
// between ranks
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/part.hpp"
#include "formats/tags.hpp"
#include "formats/text.hpp"

namespace cairn::formats::policy {

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
  static void fields(auto& file, auto& rule) {
    file("title", rule.title);
    file("looks", rule.looks);
    file("held", rule.held);
    file("acted", rule.acted);
    file("taken_back", rule.taken_back);
    file("cost_s", rule.cost_s);
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

  static void members(auto& archive, auto& event) {
    archive(event.kind, event.rule, event.variable, event.from, event.to, event.text, event.first_s, event.last_s,
            event.times, event.ranks, event.order);
  }
  static void fields(auto& file, auto& event) {
    file("first_s", event.first_s);
    file("last_s", event.last_s);
    file("times", event.times);
    file.ranks("ranks", event.ranks);
    file("rule", event.rule);
    file("kind", event.kind);
    file("variable", event.variable);
    file("from", event.from);
    file("to", event.to);
    file("text", event.text);
  }
};

/// "set NAME: 1 -> 2", "kept (objective 2 us -> 1 us)", a note.
inline std::string words_of(const Event& event) {
  std::string text = event.kind == "note" ? event.text : event.kind;
  if (!event.variable.empty()) text += cat({" ", event.variable, ": ", event.from, " -> ", event.to});
  if (event.kind != "note" && !event.text.empty()) text += cat({" (", event.text, ")"});
  return text;
}

/// Part of the run that timing calls takes, with its interval of confidence.
struct TimingShare {
  double mean = 0;
  double low = 0;
  double high = 0;
  bool is_known = true;

  static void fields(auto& file, auto& share) {
    file("mean", share.mean);
    file("low", share.low);
    file("high", share.high);
  }
};

struct Summary {
  std::string run;  // identity
  std::string tool;
  std::string policy;
  bool dry_run = false;
  int ranks = 0;
  double run_s = 0;  // over the ranks
  Part part;
  std::vector<RuleFigures> rules;
  TimingShare timing_share;
  std::vector<Event> events;  // by time
  std::uint64_t events_left_out = 0;

  static void fields(auto& file, auto& all) {
    file.derived("format", policy_tag.text());
    file.optional("run", all.run, !all.run.empty());
    file("tool", all.tool);
    file("policy", all.policy);
    file("dry_run", all.dry_run);
    file("ranks", all.ranks);
    file("run_s", all.run_s);
    file.optional("part", all.part, all.part.is_one());
    file("rules", all.rules);
    file.optional("timing_share", all.timing_share, all.timing_share.is_known);
    file("events", all.events);
    file("events_left_out", all.events_left_out);
  }
};

std::string file_text(const Summary& summary);

}  // namespace cairn::formats::policy
