// SPDX-License-Identifier: BSD-3-Clause
// placing.cc - the processes of a communicator as a machine: a slot for each, behind its node and that node's parts

#include "placing.hpp"

#include <algorithm>
#include <numeric>

#include "placement/best.hpp"

namespace reorder {

namespace {

using cairn::placement::Machine;
using cairn::placement::Mapping;
using cairn::placement::Node;
using cairn::placement::NodeShape;

/// Each process's own slot: in the order of nodes and parts.
Mapping slots_of(const std::vector<Whereabouts>& processes) {
  std::vector<int> order(processes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int process) { return processes[static_cast<std::size_t>(process)]; });
  Mapping slots(processes.size());
  for (std::size_t slot = 0; slot < order.size(); ++slot)
    slots[static_cast<std::size_t>(order[slot])] = static_cast<int>(slot);
  return slots;
}

/// Nodes and parts are the machine's switches.
Machine machine_of(const std::vector<Whereabouts>& processes, const Mapping& slots) {
  std::vector<Whereabouts> by_slot(processes.size());
  for (std::size_t process = 0; process < processes.size(); ++process)
    by_slot[static_cast<std::size_t>(slots[process])] = processes[process];
  std::vector<Node> places;
  int node = 0;
  for (std::size_t slot = 0; slot < by_slot.size(); ++slot) {
    if (slot > 0 && by_slot[slot].node != by_slot[slot - 1].node) ++node;
    Node place{"", 1, {node}};
    place.switches.insert(place.switches.end(), by_slot[slot].parts.begin(), by_slot[slot].parts.end());
    places.push_back(std::move(place));
  }
  return {std::move(places), NodeShape::flat(1), {}};
}

}  // namespace

std::vector<int> better_ranks(const std::vector<Whereabouts>& processes,
                              std::vector<cairn::formats::MatrixEntry> edges) {
  const auto size = static_cast<int>(processes.size());
  if (size > most_processes) return {};
  const Mapping now = slots_of(processes);
  const Machine machine = machine_of(processes, now);
  if (machine.levels() < 2) return {};
  const cairn::placement::Traffic traffic({size, std::move(edges)});
  const cairn::placement::Comparison found = compare_mappings(traffic, machine, nullptr);
  const double before = hop_bytes_of(traffic, machine, now);
  if (found.own().cost.hop_bytes > (1 - cairn::placement::worth) * before || before <= 0) return {};
  std::vector<int> rank_at(processes.size());
  for (std::size_t rank = 0; rank < rank_at.size(); ++rank)
    rank_at[static_cast<std::size_t>(found.own().mapping[rank])] = static_cast<int>(rank);
  std::vector<int> ranks;
  for (const int slot : now) ranks.push_back(rank_at[static_cast<std::size_t>(slot)]);
  return ranks;
}

}  // namespace reorder
