// SPDX-License-Identifier: BSD-3-Clause
// strips.cc - the timeline of waits.json as a chart

#include "cli/report/strips.hpp"

#include "formats/ranks.hpp"

namespace cairn::report {

Json strips_chart(const formats::waits::Summary& waits) {
  if (waits.timeline.strips.empty() || waits.timeline.bin <= 0) return {};
  Json strips = Json::array();
  for (const formats::waits::Strip& strip : waits.timeline.strips) {
    strips.push_back({{"ranks", formats::ranks_text(strip.ranks)},
                      {"first", strip.ranks.empty() ? 0 : strip.ranks.front()},
                      {"start", strip.start},
                      {"work", strip.work},
                      {"waiting", strip.waiting},
                      {"path", strip.path}});
    if (!strip.unknown.empty()) strips.back()["unknown"] = strip.unknown;
  }
  return {{"type", "strips"}, {"title", "All ranks over time"}, {"bin", waits.timeline.bin}, {"strips", strips}};
}

}  // namespace cairn::report
