// SPDX-License-Identifier: BSD-3-Clause
// job_host.hpp - the service by which the engine tells the stack what the ranks have agreed on (contracts/job_host.h).
#pragma once

#include <string>

#include "contracts/job_host.h"
#include "runtime/instances.hpp"
#include "runtime/run_folder.hpp"
#include "runtime/switching.hpp"
#include "stack/stack.hpp"

namespace cairn {

/// The functions of the service, for the one stack of the process; everything given outlives all calls. `source`: how
/// the user asked for the tools.
const cairn_job_host& make_job_host(Stack& stack, RunFolder& folder, Instances& instances, Switching& switching,
                                    const std::string& source);

}  // namespace cairn
