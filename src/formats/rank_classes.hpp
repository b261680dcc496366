// SPDX-License-Identifier: BSD-3-Clause
// rank_classes.hpp - whether the ranks of a job fall into few classes by a figure, such as those that use 3 and those that use 6 MB
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cairn::formats {

struct RankClass {
  std::vector<int> ranks;  // ascending
  double least = 0;
  double most = 0;
};

/// By ascending figures, at most four. A single class: the figures are about the same, or spread evenly.
std::vector<RankClass> rank_classes(std::vector<std::pair<int, double>> figures);

/// "3000 on ranks 0-1, 5000 to 6000 on ranks 2-3".
std::string classes_text(const std::vector<RankClass>& classes);

}  // namespace cairn::formats
