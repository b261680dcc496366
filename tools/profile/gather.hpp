// SPDX-License-Identifier: BSD-3-Clause
// gather.hpp - every rank's figures become the whole run's summary
#pragma once

#include <cstdint>

#include "cairn/kit/ranks.hpp"
#include "cairn/services/symbols.hpp"
#include "fill.hpp"
#include "rank_figures.hpp"
#include "summary.hpp"

namespace profile {

/// Collective over the ranks that have the tool; `all` and `heading` are those of all ranks then, on the first of
/// them.
void gather(const cairn::World& world, const RankFigures& figures, const GatherOptions& options, Gathered& all,
            Summary& heading);

Gathered own_figures(const RankFigures& figures, const GatherOptions& options, int rank);

/// The summary of one rank alone, without MPI: of a run that does not come to its end. `symbols` may be null.
Summary summarize(const RankFigures& figures, const cairn::Symbols* symbols, const GatherOptions& options,
                  Summary heading, int rank);

}  // namespace profile
