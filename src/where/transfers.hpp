// SPDX-License-Identifier: BSD-3-Clause
// transfers.hpp - waits that end by themselves: whoever is waited for has done its part, and the data may be on their way
#pragma once

#include "where/actors.hpp"

namespace cairn::where {

/// Of a message that a process waits for, or waits to be rid of: the send or the receive that it fits. Without the whole
/// history of both, one that may have met another message counts.
OtherEnd other_end_of_message(const Job& job, const Process& own, const Wait& wait);

/// Between two processes, counted once for all who ask.
const Unmatched& unmatched(const Job& job, const Process& from, const Process& to);

/// Of a call that begins or ends an epoch: the call of another process of the window that it may fit.
OtherEnd other_end_of_epoch(const Job& job, const Process& own, const Wait& wait);

}  // namespace cairn::where
