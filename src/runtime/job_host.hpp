// SPDX-License-Identifier: BSD-3-Clause
// job_host.hpp - the service by which the engine tells the stack what the ranks have agreed on (engine/job_host.h).
#pragma once

#include <string>

#include "engine/job_host.h"
#include "stack/instances.hpp"
#include "stack/run_folder.hpp"
#include "stack/stack.hpp"
#include "stack/switching.hpp"

namespace cairn {

/// The functions of the service, for the one stack of the process; everything given outlives all calls. `source`: how
/// the user asked for the tools.
const cairn_job_host& make_job_host(Stack& stack, RunFolder& folder, Instances& instances, Switching& switching,
                                    const std::string& source);

}  // namespace cairn
