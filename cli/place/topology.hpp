// SPDX-License-Identifier: BSD-3-Clause
// topology.hpp - the switches of a network, as Slurm's topology.conf has them
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::place {

struct Topology {
  std::vector<std::string> nodes;                   // in the order of the tree
  std::map<std::string, std::vector<int>> path_of;  // switches by node, the root first; all equally many
};

/// `name` is for messages, which have the line: throws Problem.
Topology read_topology(std::string_view text, const std::string& name);
Topology read_topology_file(const std::string& path);

}  // namespace cairn::place
