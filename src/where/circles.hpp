// SPDX-License-Identifier: BSD-3-Clause
// circles.hpp - ranks that wait for each other
#pragma once

#include <functional>
#include <vector>

#include "where/rank_lists.hpp"

namespace cairn::where {

/// What one rank waits for: for each of these ranks, or, if one is enough, for any.
struct Arc {
  int from = -1;
  const Awaited* whom = nullptr;
  bool any = false;
};

/// Each waits for the next, the last for the first; empty: there is no such circle. Of those that are found, the shortest.
/// `can_take_part`: ranks that may be in it. The work is as much as the arcs, and the lists, which count once for all
/// that share them.
std::vector<int> find_circle(const std::vector<Arc>& arcs, const std::function<bool(int)>& can_take_part);

}  // namespace cairn::where
