// SPDX-License-Identifier: BSD-3-Clause
// dead_pages.hpp - what becomes of the pages that dead jobs have left in memory
#pragma once

namespace cairn::where {

/// Moves the pages of jobs that are dead into their runs' folders; those of a run whose folder somebody has removed are
/// removed, too. What cannot be written there stays for a week, which is reported once. Another process that does the
/// same at the moment is left to it.
void clear_dead_jobs();

}  // namespace cairn::where
