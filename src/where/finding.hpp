// SPDX-License-Identifier: BSD-3-Clause
// finding.hpp - one sentence about what is wrong with a job
#pragma once

#include <string>
#include <vector>

namespace cairn::where {

/// With the ranks that it blames.
struct Finding {
  std::string kind;  // "deadlock", "other tag", …: for programs
  std::string text;
  std::vector<int> ranks;
};

}  // namespace cairn::where
