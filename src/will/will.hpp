// SPDX-License-Identifier: BSD-3-Clause
// will.hpp - the one end of the process for all tools (include/cairn/services/will.hpp)
#pragma once

#include "cairn/services/will.hpp"
#include "contracts/ends.hpp"

namespace cairn {

/// The functions of the service, for the one will of the process; `ends` outlives all calls.
const Will& make_will(Ends& ends);

}  // namespace cairn
