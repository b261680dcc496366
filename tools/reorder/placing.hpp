// SPDX-License-Identifier: BSD-3-Clause
// placing.hpp - which rank each process of a communicator should have, by who exchanges how much with whom
#pragma once

#include <vector>

#include "formats/matrix_market.hpp"
#include "whereabouts.hpp"

namespace reorder {

/// More take too long while the program waits.
inline constexpr int most_processes = 16384;

/// The new rank of each process; empty if ranks can stay as they are: all are equally near, or too little is gained.
/// `edges`: between ranks.
std::vector<int> better_ranks(const std::vector<Whereabouts>& processes,
                              std::vector<cairn::formats::MatrixEntry> edges);

}  // namespace reorder
