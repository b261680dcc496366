// SPDX-License-Identifier: BSD-3-Clause
// deaths.hpp - which process ended first without MPI_Finalize, and of what
#pragma once

#include <optional>

#include "where/verdict.hpp"

namespace cairn::where {

/// Nothing if all processes are alive or have finalized MPI.
std::optional<Finding> find_death(const Job& job, Places& places);

}  // namespace cairn::where
