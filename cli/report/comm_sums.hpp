// SPDX-License-Identifier: BSD-3-Clause
// comm_sums.hpp - who sent how much to whom as sums: by pair, rank, phase, node
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "cli/report/comm_data.hpp"

namespace cairn::report::comm {

using Sums = std::array<Volume, kinds>;  // by kind
using Pairs = std::map<std::pair<int, int>, Sums>;

struct Whole {
  Sums sums;
  std::vector<Volume> sent, received;  // by rank
  std::vector<Sums> by_phase;
  Volume between_nodes, within_nodes;
  Volume unknown_nodes;  // of which it is unknown whether it went between nodes
};

Volume total_of(const Sums& sums);
Volume total_of(const formats::comm::KindSums& sums);
Volume total_of(const std::vector<Flow>& flows);
Whole whole_of(const Data& data);

/// Whether shares are few enough to be shown pair by pair.
bool tells_shared_pairs(const Data& data);
Pairs pairs_of(const Data& data, bool with_shares);

}  // namespace cairn::report::comm
