// SPDX-License-Identifier: BSD-3-Clause
// fill.hpp - from rows of all ranks to a summary with names
#pragma once

#include <string_view>

#include "cairn/services/symbols.hpp"
#include "rows.hpp"
#include "summary.hpp"

namespace profile {

/// Of functions and call sites: what comes first. The greatest first, names by the alphabet.
enum class Order { time, calls, sent, name };

/// By its name; throws std::runtime_error for a name that there is not.
Order order_of(std::string_view name);

/// Everything but the heading's times. `threshold`: percent of the time in MPI below which call sites are left out.
void fill(Summary& summary, const Rows& rows, const cairn::Symbols* symbols, double threshold, Order order);

}  // namespace profile
