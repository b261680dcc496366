// SPDX-License-Identifier: BSD-3-Clause
// profile_lines.hpp - the lines of a profile that matter, and what they mean
#pragma once

#include <vector>

#include "cli/report/section.hpp"
#include "formats/profile.hpp"

namespace cairn::report {

/// With several threads in MPI, what lies between the calls cannot be told from the times.
bool knows_own_work(const formats::profile::Summary& profile);

/// At most ten. The section has its facts and tables already.
std::vector<Line> profile_lines(const formats::profile::Summary& profile, const Section& section);

}  // namespace cairn::report
