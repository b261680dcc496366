// SPDX-License-Identifier: BSD-3-Clause
// calls_left.hpp - the calls that a run has left in its folder, to be analysed or replayed: of the whole run, of ranks
// that ended without MPI_Finalize, or its trace
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/message.hpp"
#include "waits/summary.hpp"

namespace cairn::cli {

using SectionVisit = std::function<void(std::vector<waits::RankRecords>)>;
using Warn = std::function<void(const Problem&)>;

/// One section of the run after the other. `warn`: of damage; the rest is used. False: there are no calls.
bool each_section(const std::string& folder, const SectionVisit& visit, const Warn& warn);

/// Of what ranks have left that ended without MPI_Finalize, so that there is no waits.json: `warn`. None: nothing.
std::optional<formats::waits::Summary> left_by_ranks(const std::string& folder, const Warn& warn);

}  // namespace cairn::cli
