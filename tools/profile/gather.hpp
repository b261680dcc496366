// SPDX-License-Identifier: BSD-3-Clause
// gather.hpp - one rank's rows become the whole run's summary
#pragma once

#include "record.hpp"
#include "summary.hpp"

namespace profile {

/// Collective over MPI_COMM_WORLD, as a few reductions whose cost grows with the logarithm of the ranks. Returns the
/// summary on rank 0 and one with ranks == 0 elsewhere.
Summary gather(const Rows& rows, Summary heading);

}  // namespace profile
