// SPDX-License-Identifier: BSD-3-Clause
// patience.hpp - when a job tells by itself what keeps it
#pragma once

#include "where/verdict.hpp"

namespace cairn::where {

/// `hang_s`: what the user has named as too long.
bool is_to_tell(const Job& job, const Verdict& verdict, double hang_s);

}  // namespace cairn::where
