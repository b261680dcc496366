// SPDX-License-Identifier: BSD-3-Clause
// gather.hpp - every rank's figures become the whole run's summary
#pragma once

#include <cstdint>

#include "cairn/services/symbols.hpp"
#include "fill.hpp"
#include "rank_figures.hpp"
#include "shared/machine_load.hpp"
#include "summary.hpp"

namespace profile {

struct GatherOptions {
  bool by_rank = false;  // every rank's time, not only statistics
  double threshold = 0;  // percent of the time in MPI below which call sites are left out
  Order order = Order::time;
  shared::MachineLoad load_before = {};  // what came before is not of the run
};

/// Collective over MPI_COMM_WORLD; merged pairwise in a binomial tree. Returns the summary on rank 0 and one with
/// ranks == 0 elsewhere. `symbols` may be null.
Summary gather(const RankFigures& figures, const cairn::Symbols* symbols, const GatherOptions& options,
               Summary heading);

/// The same of one rank alone, without MPI: of a run that does not come to its end.
Summary summarize(const RankFigures& figures, const cairn::Symbols* symbols, const GatherOptions& options,
                  Summary heading, int rank);

}  // namespace profile
