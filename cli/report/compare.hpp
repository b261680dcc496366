// SPDX-License-Identifier: BSD-3-Clause
// compare.hpp - two runs side by side, as a report again
#pragma once

#include "cli/report/section.hpp"

namespace cairn::report {

/// Sections of the same tool and instance are compared: facts, and rows of tables with the same keys, what changed most
/// first. Warnings say where the runs are hardly comparable.
Report compare(const Report& a, const Report& b);

}  // namespace cairn::report
