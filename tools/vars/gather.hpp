// SPDX-License-Identifier: BSD-3-Clause
// gather.hpp - from what a rank has read to the results of all ranks
#pragma once

#include "cairn/kit/self.hpp"
#include "cairn/services/symbols.hpp"
#include "monitor.hpp"
#include "summary.hpp"

namespace vars {

/// This rank's.
Summary summarize(Monitor& monitor, const cairn::Regions& regions, const std::string& program);

/// The least step with which all series have room from `origin` on, in seconds on the node's clock; 0: there are none.
double step_of_series(const Summary& summary, double origin);
/// Gives all series that step, from that origin on, so that those of ranks fit together.
void align_series(Summary& summary, double step, double origin);

/// This rank's figures by itself too, of what is not the same everywhere; series are aligned.
void keep_by_rank(Summary& summary, int rank);

/// Takes another rank's in, whose series have the same step.
void add(Summary& to, const Summary& from);

/// Leaves out the functions, regions and places that never changed a variable.
void drop_unchanged(Summary& summary);

/// File, line and function of the places; null: only what is known already.
void name_places(Summary& summary, const cairn::Symbols* symbols);

}  // namespace vars
