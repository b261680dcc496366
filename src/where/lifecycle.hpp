// SPDX-License-Identifier: BSD-3-Clause
// lifecycle.hpp - what keeps ranks in MPI_Init and MPI_Finalize
#pragma once

#include <vector>

#include "where/actors.hpp"
#include "where/finding.hpp"
#include "where/places.hpp"

namespace cairn::where {

/// None unless all ranks that are seen are in MPI_Init.
std::vector<Finding> find_waits_for_start(const Job& job, Places& places);

/// Messages that ranks in MPI_Finalize have not completed: libraries may wait for these there.
std::vector<Finding> find_pending_requests(const Job& job, Places& places, std::size_t most);

}  // namespace cairn::where
