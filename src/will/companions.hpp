// SPDX-License-Identifier: BSD-3-Clause
// companions.hpp - the job's other ranks on the node: how far they and this one are with their parts
//
// Launchers kill the other ranks as soon as one has ended by a signal, which may be one that all have got. So a rank that
// has its part stays until the others have theirs.
#pragma once

#include "contracts/job_host.h"

namespace cairn {

/// As MPI starts; `parts` stays.
void meet_companions(const cairn_job_parts& parts);

/// Callable in signal handlers, as is the next, on a thread that cannot be cancelled.
void tell_companions(cairn_part_state own);

/// For those that write, 500 ms at most; for those that may not even know yet that they end, 100 ms after the last news.
void wait_for_companions();

}  // namespace cairn
