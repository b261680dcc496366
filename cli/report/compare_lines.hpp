// SPDX-License-Identifier: BSD-3-Clause
// compare_lines.hpp - how two runs differ
#pragma once

#include <vector>

#include "cli/report/section.hpp"

namespace cairn::report {

/// `section`: the facts and tables of a comparison.
std::vector<Line> comparison_lines(const Section& section);

}  // namespace cairn::report
