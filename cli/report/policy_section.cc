// SPDX-License-Identifier: BSD-3-Clause
// policy_section.cc - policy.json (tools/policy/README.md) as a section of the report

#include <fmt/format.h>

#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"

namespace cairn::report {

namespace {

constexpr std::size_t events_told = 5;

/// What lasted: settings that were settled or set, and what was taken back.
bool matters(const std::string& kind) {
  return kind == "set" || kind == "settled" || kind == "taken back" || kind == "refused" || kind == "would set";
}

void add_events(const Json& file, std::vector<Finding>& findings) {
  for (const Json& event : at(file, "events")) {
    if (findings.size() == events_told || !matters(text_at(event, "kind"))) continue;
    const std::string why = text_at(event, "text");
    findings.push_back({seconds(number_at(event, "first_s")),
                        fmt::format("{} {}: {} -> {}", text_at(event, "kind"), text_at(event, "variable"),
                                    text_at(event, "from"), text_at(event, "to")),
                        fmt::format("Rule '{}' on ranks {}{}.", text_at(event, "rule"), text_at(event, "ranks"),
                                    why.empty() ? "" : ": " + why)});
  }
}

/// What there is to say where nothing lasted.
void add_looks(const Json& file, std::vector<Finding>& findings) {
  if (!findings.empty()) return;
  double looks = 0;
  for (const Json& rule : at(file, "rules")) looks += number_at(rule, "looks");
  findings.push_back({fmt::format("{:.0f}", looks), "looks at the policy's rules", "No setting was changed for good."});
}

}  // namespace

void read_policy(const Json& file, Section& section) {
  section.facts = {{"policy", "policy", Kind::text, text_at(file, "policy")},
                   {"ranks", "ranks", Kind::count, at(file, "ranks")},
                   {"dry_run", "dry run", Kind::text, at(file, "dry_run") == true ? "yes" : "no"}};
  add_events(file, section.findings);
  add_looks(file, section.findings);
  add_end(at(file, "part"), section.findings);
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
