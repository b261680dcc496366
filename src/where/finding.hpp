// SPDX-License-Identifier: BSD-3-Clause
// finding.hpp - one sentence about what is wrong with a job
#pragma once

#include "formats/where.hpp"

namespace cairn::where {

using Finding = formats::where::Finding;

}  // namespace cairn::where
