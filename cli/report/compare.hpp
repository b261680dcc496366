// SPDX-License-Identifier: BSD-3-Clause
// compare.hpp - two runs side by side, as a report
#pragma once

#include "cli/report/section.hpp"

namespace cairn::report {

/// Compares sections of the same tool and instance: facts, and table rows with the same keys, the largest change first.
/// Warnings say where the runs are hardly comparable.
Report compare(const Report& a, const Report& b);

}  // namespace cairn::report
