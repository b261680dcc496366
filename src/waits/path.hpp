// SPDX-License-Identifier: BSD-3-Clause
// path.hpp - the critical path: the chain of work and calls, from the end of the run back to its beginning, without waiting
#pragma once

#include <cstdint>
#include <vector>

#include "waits/causes.hpp"
#include "waits/states.hpp"

namespace cairn::waits {

struct PathStep {
  Piece piece;
  Index region = 0;
  int rank = 0;
  std::int64_t from = 0;
  std::int64_t until = 0;
};

/// The earliest first.
std::vector<PathStep> critical_path(const Graph& graph, const Waits& waits);

}  // namespace cairn::waits
