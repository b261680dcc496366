// SPDX-License-Identifier: BSD-3-Clause
// compare_findings.hpp - what matters between two runs
#pragma once

#include <vector>

#include "cli/report/section.hpp"

namespace cairn::report {

/// The section is a comparison's, with its facts and tables.
std::vector<Finding> comparison_findings(const Section& section);

}  // namespace cairn::report
