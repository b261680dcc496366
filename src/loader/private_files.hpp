// SPDX-License-Identifier: BSD-3-Clause
// private_files.hpp - files of this process alone in a temporary folder, gone when the process is.
#pragma once

#include <string>

namespace cairn {

/// A path that was never used before, ending in `name`, to make a file that may hold code; empty where there is no
/// folder for such files ($TMPDIR, /tmp). All are removed when the process ends; what processes that were killed have
/// left behind is removed with the first. On one thread at a time.
std::string new_private_file(const std::string& name);

/// Removes them now. Safe in a signal handler.
void remove_private_files();

}  // namespace cairn
