// SPDX-License-Identifier: BSD-3-Clause
// unseen.hpp - MPI functions that a program calls past all tools, because Cairn does not know them
#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

/// In the program's order. An MPI newer than Cairn, or its extensions, may have such functions.
std::vector<std::string> unseen_functions(const std::string& program, const std::string& library);

}  // namespace cairn::cli
