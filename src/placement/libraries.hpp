// SPDX-License-Identifier: BSD-3-Clause
// libraries.hpp - what libcairn-placement.so does with hwloc and Scotch; it is opened when somebody asks for it, so that
// `cairn` starts without them
#pragma once

#include <string>
#include <vector>

#include "placement/machine.hpp"

namespace cairn::placement {

/// A graph in Scotch's form.
struct Graph {
  std::vector<int> begin;  // by vertex, and one more
  std::vector<int> partners;
  std::vector<int> weights;  // from 1

  int vertices() const { return static_cast<int>(begin.size()) - 1; }
};

/// Errors are texts, as no exception leaves the library.
struct Libraries {
  /// A node: a file that lstopo has written, a synthetic description, or "" for this machine. "": done; otherwise why not.
  std::string (*read_node)(const std::string& machine, NodeShape& shape);

  /// Scotch's static mapping onto a tree with as many leaves as there are vertices: `children` of each object and
  /// `hops` between two leaves, by level from the root. Another seed, another mapping. Leaves by vertex; empty if it
  /// fails.
  std::vector<int> (*map_to_tree)(const Graph& graph, const std::vector<int>& children, const std::vector<int>& hops,
                                  int seed);

  /// Parts of the sizes, as near as Scotch comes. A part by vertex; empty if it fails.
  std::vector<int> (*part)(const Graph& graph, const std::vector<int>& sizes);
};

/// The library's one symbol.
inline constexpr const char* libraries_symbol = "cairn_placement_libraries";

}  // namespace cairn::placement
