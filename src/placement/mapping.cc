// SPDX-License-Identifier: BSD-3-Clause
// mapping.cc - costs of mappings; by slot, by node, at random

#include "placement/mapping.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cairn::placement {

namespace {

/// Calls visit(amount, one's slot, the other's, their common level) for each pair of ranks once.
template <class Visit>
void for_each_pair(const Traffic& traffic, const Machine& machine, const Mapping& mapping, Visit visit) {
  for (int rank = 0; rank < traffic.ranks(); ++rank)
    for (const Partner& partner : traffic.partners(rank)) {
      if (partner.rank < rank) continue;
      const int own = mapping[static_cast<std::size_t>(rank)];
      const int other = mapping[static_cast<std::size_t>(partner.rank)];
      visit(partner.amount, own, other, machine.common_level(own, other));
    }
}

/// Whether the objects of a level are nodes or switches, with a link of their own.
bool has_links(const Machine& machine, int level) {
  return level > 0 && level < machine.levels() && machine.within(level - 1) >= Distance::leaf_switch;
}

}  // namespace

double hop_bytes_of(const Traffic& traffic, const Machine& machine, const Mapping& mapping) {
  double sum = 0;
  for_each_pair(traffic, machine, mapping,
                [&](double amount, int, int, int level) { sum += amount * machine.hops(level); });
  return sum;
}

Cost cost_of(const Traffic& traffic, const Machine& machine, const Mapping& mapping) {
  Cost cost;
  std::vector<std::vector<double>> links;  // by level and object
  for (int level = 0; level < machine.levels(); ++level)
    links.emplace_back(static_cast<std::size_t>(has_links(machine, level) ? machine.objects(level) : 0));
  std::vector<double> to_nodes(machine.nodes().size());
  for_each_pair(traffic, machine, mapping, [&](double amount, int own, int other, int level) {
    const Distance distance = machine.within(level);
    cost.hop_bytes += amount * machine.hops(level);
    cost.by_distance[static_cast<std::size_t>(distance)] += amount;
    if (distance < Distance::leaf_switch) return;
    cost.between_nodes += amount;
    for (const int slot : {own, other}) {
      to_nodes[static_cast<std::size_t>(machine.slot(slot).node)] += amount;
      for (int below = level + 1; below < machine.levels(); ++below)
        if (has_links(machine, below))
          links[static_cast<std::size_t>(below)][static_cast<std::size_t>(machine.object_of(below, slot))] += amount;
    }
  });
  links.push_back(std::move(to_nodes));
  for (const std::vector<double>& loads : links)
    if (!loads.empty()) cost.busiest_link = std::max(cost.busiest_link, std::ranges::max(loads));
  return cost;
}

Mapping by_slot(int ranks) {
  Mapping mapping(static_cast<std::size_t>(ranks));
  std::iota(mapping.begin(), mapping.end(), 0);
  return mapping;
}

Mapping by_node(int ranks, const Machine& machine) {
  std::vector<std::pair<int, int>> order;  // turn, slot
  int turn = 0;
  for (int slot = 0; slot < machine.slots(); ++slot) {
    turn = slot > 0 && machine.slot(slot).node == machine.slot(slot - 1).node ? turn + 1 : 0;
    order.emplace_back(turn, slot);
  }
  std::ranges::sort(order);
  Mapping mapping;
  for (int rank = 0; rank < ranks; ++rank) mapping.push_back(order[static_cast<std::size_t>(rank)].second);
  return mapping;
}

Mapping at_random(int ranks, const Machine& machine, unsigned seed) {
  Mapping slots(static_cast<std::size_t>(machine.slots()));
  std::iota(slots.begin(), slots.end(), 0);
  std::uint64_t state = seed;
  for (std::size_t i = slots.size(); i > 1; --i) {  // as std::shuffle, which libraries do differently
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::swap(slots[i - 1], slots[(state >> 33U) % i]);
  }
  slots.resize(static_cast<std::size_t>(ranks));
  return slots;
}

}  // namespace cairn::placement
