// SPDX-License-Identifier: BSD-3-Clause
// last_words.hpp - one rank says why a job cannot start, though launchers end a job with its first process
#pragma once

namespace cairn {

/// For a process that is about to end by an error. False: a lower rank tells of it, for all; this one has waited so that the
/// other is not cut short. True: this process has to, as it speaks for the job, or as all lower ranks run other programs
/// (MPMD), which know nothing of the error. Only of ranks that the same launcher process has started on this node can that
/// be seen.
bool has_last_word();

}  // namespace cairn
