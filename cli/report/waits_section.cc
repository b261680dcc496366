// SPDX-License-Identifier: BSD-3-Clause
// waits_section.cc - waits.json (tools/waits/README.md) as a section of the report

#include <fmt/format.h>

#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"
#include "formats/ranks.hpp"
#include "formats/readers.hpp"
#include "waits/wording.hpp"

namespace cairn::report {

namespace {

constexpr std::size_t causes_told = 5;
constexpr double least_told = 0.02;  // of all waiting

void add_causes(const formats::waits::Summary& waits, std::vector<Finding>& findings) {
  for (const formats::waits::Cause& cause : waits.causes) {
    if (findings.size() == causes_told || cause.share < least_told) return;
    std::string more = fmt::format("{:.1f} % of all waiting.", 100 * cause.share);
    if (cause.kind == "work" && cause.predicted_run > 0 && cause.predicted_run < waits.replayed)
      more += fmt::format(" As on the other ranks, the run would take {} instead of {}.", seconds(cause.predicted_run),
                          seconds(waits.replayed));
    findings.push_back({seconds(cause.cost), waits::cause_text(cause), more});
  }
}

void add_missing(const formats::waits::Summary& waits, std::vector<Finding>& findings) {
  if (!waits.coverage.missing.empty())
    findings.push_back({std::to_string(waits.coverage.missing.size()), "ranks have left no records",
                        fmt::format("Ranks {}: what they made others wait for is unknown.",
                                    formats::ranks_text(waits.coverage.missing))});
  for (const formats::waits::LeftOut& one : waits.coverage.left_out)
    findings.push_back({one.count == 0 ? "" : std::to_string(one.count), one.why,
                        fmt::format("On ranks {}; the figures are without them.", formats::ranks_text(one.ranks))});
}

}  // namespace

void read_waits(const Json& file, Section& section) {
  const formats::waits::Summary waits = formats::read_waits(file);
  section.facts = {
      {"ranks", "ranks", Kind::count, waits.ranks},
      {"run_s", "run", Kind::seconds, waits.run_time},
      {"waiting_s", "waiting, all ranks", Kind::seconds, waits.split.waiting},
      {"parallel_efficiency", "parallel efficiency", Kind::text,
       fmt::format("{:.1f} % = load balance {:.1f} % x communication {:.1f} %", 100 * waits.efficiency.parallel,
                   100 * waits.efficiency.load_balance, 100 * waits.efficiency.communication)}};
  add_causes(waits, section.findings);
  add_missing(waits, section.findings);
  section.tables = {table_of("waits", "Where ranks wait", at(file, "waits"),
                             {{"kind", "kind", Kind::text, Column::tells_apart, true},
                              {"function", "function", Kind::text, Column::tells_apart, true},
                              {"file", "file", Kind::text, Column::tells_apart, true},
                              {"line", "line", Kind::count, Column::tells_apart, true},
                              {"time_s", "time", Kind::seconds, Column::sum, true},
                              {"count", "calls", Kind::count, Column::sum, true},
                              {"max_rank", "longest on rank", Kind::count, Column::nothing, true}}),
                    table_of("what_if", "What changes would bring", at(file, "what_if"),
                             {{"change", "change", Kind::text, Column::tells_apart, true},
                              {"predicted_run_s", "run", Kind::seconds, Column::nothing, true},
                              {"error_s", "error", Kind::seconds}})};
}

}  // namespace cairn::report
