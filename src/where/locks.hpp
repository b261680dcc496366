// SPDX-License-Identifier: BSD-3-Clause
// locks.hpp - who holds the locks of a window, as far as the calls of its processes are known
#pragma once

#include "where/actors.hpp"

namespace cairn::where {

/// Calls on a target that takes no part itself.
bool is_passive(const Call& call);

/// Whoever holds a lock that keeps the call of a thread waiting: of its target, or, where it has none, any of the window.
/// Shared locks keep no shared ones waiting.
Awaited holders_of(const Job& job, const Thread& thread, const Call& call);

}  // namespace cairn::where
