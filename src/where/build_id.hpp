// SPDX-License-Identifier: BSD-3-Clause
// build_id.hpp - whether a file is still the one that a process ran: names of another one's places would be wrong
#pragma once

#include <string>

namespace cairn::where {

/// The linker's mark of a program or library, as bytes; "" if the file has none, or cannot be read.
std::string build_id_of(const std::string& path);

}  // namespace cairn::where
