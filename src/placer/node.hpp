// SPDX-License-Identifier: BSD-3-Clause
// node.hpp - a node as hwloc describes it
#pragma once

#include <string>

#include "placement/machine.hpp"

namespace cairn::placer {

std::string read_node(const std::string& machine, placement::NodeShape& shape);

}  // namespace cairn::placer
