// SPDX-License-Identifier: BSD-3-Clause
// rank_summary.hpp - what `profile` and `comm` have of one rank when it comes to MPI_Finalize
#pragma once

#include "comm/summary.hpp"
#include "job.hpp"
#include "profile/rows.hpp"

namespace cairn::scale {

/// Messages to six neighbors in two phases, reductions over all and within rows of the grid.
comm::Summary rank_summary(const Job& job, int rank);

/// 20 functions, 60 call sites, two regions with 10 functions each, the world and a row of the grid. `by_rank`: as with
/// `profile=ranks:on`.
profile::Gathered rank_figures(const Job& job, int rank, bool by_rank);

}  // namespace cairn::scale
