// SPDX-License-Identifier: BSD-3-Clause
// trace_figures.hpp - the figures of the tools profile and comm, as far as a run's traces tell them
#pragma once

#include "cli/trace/run_traces.hpp"
#include "formats/comm.hpp"
#include "formats/profile.hpp"

namespace cairn::report {

struct TraceFigures {
  /// Calls and times of functions and call sites; bytes of messages, and of collective calls in which all have as many.
  formats::profile::Summary profile;
  /// Messages from rank to rank and one-sided calls, without collective ones.
  formats::comm::Summary comm;
};

TraceFigures figures_of(const cli::RunTraces& run, where::Places& places);

}  // namespace cairn::report
