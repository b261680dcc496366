// SPDX-License-Identifier: BSD-3-Clause
// strips.hpp - all ranks over time in few figures: work, waiting, transfer, and the critical path
#pragma once

#include "cli/report/section.hpp"
#include "formats/waits.hpp"

namespace cairn::report {

/// Null if the file has no timeline.
Json strips_chart(const formats::waits::Summary& waits);

}  // namespace cairn::report
