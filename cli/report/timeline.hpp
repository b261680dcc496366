// SPDX-License-Identifier: BSD-3-Clause
// timeline.hpp - what the page draws of a run's trace: ranks over time (web/timeline.js)
//
// Of a run of any length the page gets a bounded amount: for each rank and part of the time which function takes most
// of it, in several levels of detail; and the longest calls as they are, all if they are few enough.
#pragma once

#include <cstddef>

#include "cli/report/trace_section.hpp"
#include "cli/trace/run_traces.hpp"

namespace cairn::report {

struct TimelineLimits {
  std::size_t rows = 4096;
  std::size_t bins = 8192;        // of a row, at most
  std::size_t cells = 2'000'000;  // of all rows, in the finest level
  std::size_t calls = 200'000;
  std::size_t messages = 50'000;
};

/// Null if nothing was called there. `run`: aligned.
Json timeline_chart(const cli::RunTraces& run, where::Places& places, const TimelineWindow& window = {},
                    const TimelineLimits& limits = {});

}  // namespace cairn::report
