// SPDX-License-Identifier: BSD-3-Clause
// fill.hpp - from rows of all ranks to a summary with names
#pragma once

#include <cstdint>
#include <string_view>

#include "cairn/services/symbols.hpp"
#include "rows.hpp"
#include "shared/machine_load.hpp"
#include "summary.hpp"

namespace profile {

/// Of functions and call sites: what comes first. The greatest first, names by the alphabet.
enum class Order { time, calls, sent, name };

/// By its name; throws std::runtime_error for a name that there is not.
Order order_of(std::string_view name);

struct GatherOptions {
  bool by_rank = false;  // every rank's time, not only statistics
  double threshold = 0;  // percent of the time in MPI below which call sites are left out
  Order order = Order::time;
  bool inlined = false;                  // whether functions that are inlined in their callers are callers too
  shared::MachineLoad load_before = {};  // what came before is not of the run
  std::uint64_t ended = 0;               // ticks: when this rank's run ended
};

/// Everything but the heading's times. `symbols` may be null.
void fill(Summary& summary, const Gathered& all, const cairn::Symbols* symbols, const GatherOptions& options);

}  // namespace profile
