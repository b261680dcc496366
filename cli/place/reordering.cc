// SPDX-License-Identifier: BSD-3-Clause
// reordering.cc - from the places of ranks and of processes to ranks of processes

#include "cli/place/reordering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/report/wording.hpp"

namespace cairn::place {

namespace {

using placement::Machine;

/// The number of a run's node among those of the machine, or -1.
int number_of(const Machine& machine, const std::string& name) {
  const auto found = std::ranges::find(machine.nodes(), name, &placement::Node::name);
  return found == machine.nodes().end() ? -1 : static_cast<int>(found - machine.nodes().begin());
}

/// The slot of each process; empty if the machine is not that of the run.
std::vector<int> slots_as_run(const Machine& machine, const Source& source) {
  std::vector<std::vector<int>> slots(machine.nodes().size());  // of each node that are not taken, the last one first
  for (int slot = machine.slots(); slot-- > 0;)
    slots[static_cast<std::size_t>(machine.slot(slot).node)].push_back(slot);
  std::vector<int> taken;
  for (const int of_run : source.node_of) {
    const int node = number_of(machine, source.nodes[static_cast<std::size_t>(of_run)]);
    if (node < 0 || slots[static_cast<std::size_t>(node)].empty()) return {};
    taken.push_back(slots[static_cast<std::size_t>(node)].back());
    slots[static_cast<std::size_t>(node)].pop_back();
  }
  return taken;
}

}  // namespace

std::string nodes_as_taken(const Source& source) {
  std::vector<int> processes(source.nodes.size());
  for (const int node : source.node_of) ++processes[static_cast<std::size_t>(node)];
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (processes[i] > 0) parts.push_back(fmt::format("{}:{}", source.nodes[i], processes[i]));
  return join(parts, ",");
}

formats::RankOrder rank_order(const Machine& machine, const placement::Mapping& mapping, const Source& source) {
  if (machine.slots() != static_cast<int>(mapping.size()))
    throw Problem(
        fmt::format("processes cannot be told from empty places: {} on {}", report::plural(mapping.size(), "rank"),
                    report::plural(static_cast<std::uint64_t>(machine.slots()), "place")),
        "--nodes with the cores that the processes have, as in n1:4,n2:4", "--reorder");
  std::vector<int> slots = slots_as_run(machine, source);
  if (slots.size() != mapping.size()) {
    slots.resize(mapping.size());
    std::iota(slots.begin(), slots.end(), 0);
  }
  std::vector<int> rank_at(mapping.size());
  for (std::size_t rank = 0; rank < mapping.size(); ++rank)
    rank_at[static_cast<std::size_t>(mapping[rank])] = static_cast<int>(rank);
  formats::RankOrder order;
  for (const int slot : slots) order.push_back(rank_at[static_cast<std::size_t>(slot)]);
  return order;
}

}  // namespace cairn::place
