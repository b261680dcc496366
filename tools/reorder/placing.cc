// SPDX-License-Identifier: BSD-3-Clause
// placing.cc - the nodes of a communicator as a machine; what lies within a node counts as equally near

#include "placing.hpp"

#include <algorithm>
#include <utility>

#include "placement/best.hpp"

namespace reorder {

namespace {

using cairn::placement::Machine;

/// Nodes in the order of their first process, and each process's own.
struct Nodes {
  std::vector<cairn::placement::Node> all;
  std::vector<int> of;

  explicit Nodes(const std::vector<std::uint64_t>& node_of) {
    std::vector<std::uint64_t> known;
    for (const std::uint64_t node : node_of) {
      const auto found = std::ranges::find(known, node);
      const auto number = static_cast<std::size_t>(found - known.begin());
      if (found == known.end()) {
        known.push_back(node);
        all.push_back({});
      }
      ++all[number].cores;
      of.push_back(static_cast<int>(number));
    }
  }

  int most_cores() const { return std::ranges::max(all, {}, &cairn::placement::Node::cores).cores; }

  /// Where the processes are: the slots of a node go to its processes in their order.
  cairn::placement::Mapping slots() const {
    std::vector<int> next;
    int slot = 0;
    for (const cairn::placement::Node& node : all) {
      next.push_back(slot);
      slot += node.cores;
    }
    cairn::placement::Mapping mapping;
    for (const int node : of) mapping.push_back(next[static_cast<std::size_t>(node)]++);
    return mapping;
  }
};

}  // namespace

std::vector<int> better_ranks(const std::vector<std::uint64_t>& node_of,
                              std::vector<cairn::formats::MatrixEntry> edges) {
  const auto size = static_cast<int>(node_of.size());
  const Nodes nodes(node_of);
  if (nodes.all.size() < 2 || size > most_processes) return {};
  const Machine machine(nodes.all, cairn::placement::NodeShape::flat(nodes.most_cores()), {});
  const cairn::placement::Traffic traffic({size, std::move(edges)});
  const cairn::placement::Comparison found = compare_mappings(traffic, machine, nullptr);
  const cairn::placement::Mapping now = nodes.slots();
  const double before = hop_bytes_of(traffic, machine, now);
  if (found.own().cost.hop_bytes > (1 - cairn::placement::worth) * before || before <= 0) return {};
  std::vector<int> rank_at(node_of.size());
  for (std::size_t rank = 0; rank < rank_at.size(); ++rank)
    rank_at[static_cast<std::size_t>(found.own().mapping[rank])] = static_cast<int>(rank);
  std::vector<int> ranks;
  for (const int slot : now) ranks.push_back(rank_at[static_cast<std::size_t>(slot)]);
  return ranks;
}

}  // namespace reorder
