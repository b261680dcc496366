// SPDX-License-Identifier: BSD-3-Clause
// profile_findings.hpp - the lines of a profile that matter, and what they mean
#pragma once

#include <vector>

#include "cli/report/section.hpp"
#include "formats/profile.hpp"

namespace cairn::report {

/// At most ten. The section has its facts and tables already.
std::vector<Finding> profile_findings(const formats::profile::Summary& profile, const Section& section);

}  // namespace cairn::report
