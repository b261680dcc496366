// SPDX-License-Identifier: BSD-3-Clause
// policy_section.cc - policy.json (tools/policy/README.md) as a section of the report

#include <fmt/format.h>

#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"
#include "formats/ranks.hpp"
#include "formats/readers.hpp"

namespace cairn::report {

namespace {

using namespace formats::policy;

constexpr std::size_t events_told = 5;

/// What lasted: settings that were settled or set, and what was taken back.
bool matters(const std::string& kind) {
  return kind == "set" || kind == "settled" || kind == "taken back" || kind == "refused" || kind == "would set";
}

void add_events(const formats::policy::Summary& policy, std::vector<Line>& lines) {
  for (const Event& event : policy.events) {
    if (lines.size() == events_told || !matters(event.kind)) continue;
    lines.push_back({seconds(event.first_s),
                     fmt::format("{} {}: {} -> {}", event.kind, event.variable, event.from, event.to),
                     fmt::format("Rule '{}' on ranks {}{}.", event.rule, formats::ranks_text(event.ranks),
                                 event.text.empty() ? "" : ": " + event.text)});
  }
}

/// What there is to say where nothing lasted.
void add_looks(const formats::policy::Summary& policy, std::vector<Line>& lines) {
  if (!lines.empty()) return;
  std::uint64_t looks = 0;
  for (const RuleFigures& rule : policy.rules) looks += rule.looks;
  lines.push_back({std::to_string(looks), "looks at the policy's rules", "No setting was changed permanently."});
}

}  // namespace

void read_policy(const Json& file, Section& section) {
  const formats::policy::Summary policy = formats::read_policy(file);
  section.question = Question::change;
  section.facts = {{"policy", "policy", Kind::text, policy.policy},
                   {"ranks", "ranks", Kind::count, policy.ranks},
                   {"dry_run", "dry run", Kind::text, policy.dry_run ? "yes" : "no"}};
  add_events(policy, section.lines);
  add_looks(policy, section.lines);
  add_end(policy.part, section.lines);
  section.tables = {table_of("rules", "Rules", at(file, "rules"),
                             {{"title", "rule", Kind::text, Column::tells_apart, true},
                              {"looks", "looks", Kind::count, Column::sum, true},
                              {"held", "condition held", Kind::count, Column::sum, true},
                              {"acted", "acted", Kind::count, Column::sum, true},
                              {"taken_back", "taken back", Kind::count, Column::sum, true},
                              {"cost_s", "time of its looks", Kind::seconds, Column::sum}}),
                    table_of("events", "What was done", at(file, "events"),
                             {{"first_s", "first", Kind::seconds, Column::nothing, true},
                              {"last_s", "last", Kind::seconds},
                              {"times", "times", Kind::count, Column::sum, true},
                              {"ranks", "ranks", Kind::text, Column::nothing, true},
                              {"rule", "rule", Kind::text, Column::tells_apart, true},
                              {"kind", "what", Kind::text, Column::tells_apart, true},
                              {"variable", "variable", Kind::text, Column::tells_apart, true},
                              {"from", "from", Kind::text, Column::tells_apart, true},
                              {"to", "to", Kind::text, Column::tells_apart, true},
                              {"text", "in words", Kind::text, Column::nothing, true}})};
}

}  // namespace cairn::report
