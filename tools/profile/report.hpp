// SPDX-License-Identifier: BSD-3-Clause
// report.hpp - a summary as text and as JSON; needs no MPI, so it is tested without one
#pragma once

#include <string>

#include "summary.hpp"

namespace profile {

/// The `top` functions with the most time, one line for the rest, and the `sites` call sites with the most time.
std::string format_table(const Summary& summary, unsigned top, unsigned sites);

/// Format "cairn-profile 1" (tools/profile/README.md).
std::string format_json(const Summary& summary);

/// The greatest over the mean, less one: 0 when all ranks are alike.
double imbalance(const OverRanks& quantity);

}  // namespace profile
