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

/// Takes another rank's in.
void add(Summary& to, const Summary& from);

/// Leaves out the functions, regions and places that never changed a variable.
void drop_unchanged(Summary& summary);

/// File, line and function of the places; null: only what is known already.
void name_places(Summary& summary, const cairn::Symbols* symbols);

}  // namespace vars
