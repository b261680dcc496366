// SPDX-License-Identifier: BSD-3-Clause
// will.hpp - the one end of the process for all tools (include/cairn/services/will.hpp)
#pragma once

#include "cairn/services/will.hpp"
#include "contracts/ends.hpp"

namespace cairn {

/// The functions of the service, for the one will of the process; `ends` outlives all calls. `is_outside`: whether the
/// one tool lies further out than the other; `watch_aborts`: has `told` called before a library has its launcher end the job; called once MPI
/// has started, and again where no tool took part for a while.
const Will& make_will(Ends& ends, bool (*is_outside)(const cairn_tool_instance* one, const cairn_tool_instance* other),
                      void (*watch_aborts)(void (*told)()));

/// While tools write their parts: how the process ends, as these get it. Else null.
const char* end_under_way();

}  // namespace cairn
