// SPDX-License-Identifier: BSD-3-Clause
// mapping.hpp - which rank has which slot, what that costs, and the mappings that launchers make by themselves
#pragma once

#include <array>
#include <string>
#include <vector>

#include "placement/machine.hpp"
#include "placement/traffic.hpp"

namespace cairn::placement {

using Mapping = std::vector<int>;  // a slot by rank; no slot twice

/// What is to be expected of a mapping, in the unit of the traffic.
struct Cost {
  double hop_bytes = 0;  // every byte times the edges of the machine's tree that it passes
  double between_nodes = 0;
  double busiest_link = 0;  // of the edges above nodes and switches; what goes up and down, on the only way there is
  std::array<double, distances> by_distance{};
};

double hop_bytes_of(const Traffic& traffic, const Machine& machine, const Mapping& mapping);
Cost cost_of(const Traffic& traffic, const Machine& machine, const Mapping& mapping);

/// One node after the other.
Mapping by_slot(int ranks);
/// A rank on each node in turn.
Mapping by_node(int ranks, const Machine& machine);
/// The same on every machine.
Mapping at_random(int ranks, const Machine& machine, unsigned seed = 1);

}  // namespace cairn::placement
