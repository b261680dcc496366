// SPDX-License-Identifier: BSD-3-Clause
// placing.hpp - which rank each process of a communicator should have, by who exchanges how much with whom
#pragma once

#include <cstdint>
#include <vector>

#include "formats/matrix_market.hpp"

namespace reorder {

/// More take too long while the program waits.
inline constexpr int most_processes = 16384;

/// The new rank of each process; empty if ranks can stay as they are: all on one node, or too little is gained. `node_of`:
/// any number for each process's node. `edges`: between ranks.
std::vector<int> better_ranks(const std::vector<std::uint64_t>& node_of,
                              std::vector<cairn::formats::MatrixEntry> edges);

}  // namespace reorder
