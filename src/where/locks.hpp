// SPDX-License-Identifier: BSD-3-Clause
// locks.hpp - who holds the locks of a window, as far as the calls of its processes are known
#pragma once

#include "where/actors.hpp"

namespace cairn::where {

/// Calls on a target that takes no part itself.
bool is_passive(const Call& call);

/// Whoever holds the lock of a target, by its rank in the window; -1: any lock of it.
Awaited holders_of(const Job& job, const Object& window, int target);

}  // namespace cairn::where
