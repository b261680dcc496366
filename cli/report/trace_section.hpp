// SPDX-License-Identifier: BSD-3-Clause
// trace_section.hpp - a run's trace in its report
#pragma once

#include <cstdint>
#include <string>

#include "cli/report/section.hpp"

namespace cairn::report {

/// In nanoseconds since the first moment of the run.
struct TimelineWindow {
  std::int64_t from = 0;
  std::int64_t to = INT64_MAX;
};

/// Adds a section if the folder has traces, and, of the tools profile and comm if they have left nothing, those that the
/// traces tell; what is wrong with them is among the warnings.
void read_trace(const std::string& folder, Report& report);

/// Into that section; what costs time, and only the page can show. False if there is nothing.
bool add_timeline(const std::string& folder, const TimelineWindow& window, Report& report);

}  // namespace cairn::report
