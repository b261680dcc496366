// SPDX-License-Identifier: BSD-3-Clause
// report.hpp - a summary as text; needs no MPI, so it is tested without one
#pragma once

#include <string>

#include "summary.hpp"

namespace profile {

/// The `top` functions with the most time, one line for the rest, and the `sites` call sites with the most time.
std::string format_table(const Summary& summary, unsigned top, unsigned sites);

}  // namespace profile
