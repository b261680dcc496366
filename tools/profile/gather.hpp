// SPDX-License-Identifier: BSD-3-Clause
// gather.hpp - every rank's figures become the whole run's summary
#pragma once

#include <cstdint>

#include "cairn/kit/self.hpp"
#include "cairn/services/symbols.hpp"
#include "fill.hpp"
#include "rank_figures.hpp"
#include "summary.hpp"

namespace profile {

/// Collective over the ranks that have the tool; merged pairwise in a binomial tree. Returns the summary on the first
/// of them and one with ranks == 0 elsewhere. `symbols` may be null.
Summary gather(const cairn::Self& self, const RankFigures& figures, const cairn::Symbols* symbols,
               const GatherOptions& options, Summary heading);

/// The same of one rank alone, without MPI: of a run that does not come to its end.
Summary summarize(const RankFigures& figures, const cairn::Symbols* symbols, const GatherOptions& options,
                  Summary heading, int rank);

}  // namespace profile
