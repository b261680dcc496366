// SPDX-License-Identifier: BSD-3-Clause
// scotch.hpp - Scotch's static mapping, always with the same result
#pragma once

#include <vector>

#include "placement/libraries.hpp"

namespace cairn::placer {

std::vector<int> map_to_tree(const placement::Graph& graph, const std::vector<int>& children,
                             const std::vector<int>& hops, int seed);
std::vector<int> part(const placement::Graph& graph, const std::vector<int>& sizes);

}  // namespace cairn::placer
