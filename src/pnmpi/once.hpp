// SPDX-License-Identifier: BSD-3-Clause
// once.hpp - a layer under all stacks where there are several: MPI starts and ends once, whoever else calls it.
#pragma once

#include <span>

#include "cairn/tool.h"

namespace cairn {

/// The wrappers of that layer; there can be one.
std::span<cairn_tool_function> once_table();

}  // namespace cairn
