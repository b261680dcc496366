// SPDX-License-Identifier: BSD-3-Clause
// rank_order.hpp - which rank each process is to have: the file that `cairn place --reorder` writes and the tool `reorder`
// reads
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::formats {

/// The new rank of each process, in the order in which they were started.
using RankOrder = std::vector<int>;

std::string rank_order_text(const RankOrder& order);

/// A permutation. `name` is for messages, which have the line: throws Problem.
RankOrder read_rank_order(std::string_view text, const std::string& name);
RankOrder read_rank_order_file(const std::string& path);

}  // namespace cairn::formats
