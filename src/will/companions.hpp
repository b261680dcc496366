// SPDX-License-Identifier: BSD-3-Clause
// companions.hpp - the job's other ranks on the node: how far they and this one are with their parts
//
// Open MPI's launcher ends all ranks by SIGTERM once one has died, and by SIGKILL as soon as one has gone by the SIGTERM.
// So a rank that has its part stays until the others have theirs.
#pragma once

#include "contracts/job_host.h"

namespace cairn {

/// As MPI starts; `parts` stays.
void meet_companions(const cairn_job_parts& parts);

/// Callable in signal handlers, as is the next.
void tell_companions(cairn_part_state own);

/// Until no part is ahead or begun: 500 ms at most, and 100 ms if no other rank has begun, as then this one ends alone.
void wait_for_companions();

}  // namespace cairn
