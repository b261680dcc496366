// SPDX-License-Identifier: BSD-3-Clause
// clocks.hpp - comparing the clocks of the job's nodes
#pragma once

#include "cairn/services/clocks.hpp"
#include "job/neighbours.hpp"

namespace cairn::engine {

/// Collective over the ranks. `before`: an earlier comparison, in which the first of them may have an offset already.
ClockComparison compare_clocks(const JobRanks& ranks, const Neighbours& near, const ClockComparison& before = {});

}  // namespace cairn::engine
