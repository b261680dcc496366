// SPDX-License-Identifier: BSD-3-Clause
// reordering.cc - from the places of ranks and of processes to ranks of processes

#include "cli/place/reordering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/report/wording.hpp"
#include "formats/ranks.hpp"

namespace cairn::place {

namespace {

using placement::Machine;

constexpr const char* nodes_with_cores = "--nodes with the cores that the processes have, as in n1:4,n2:4";

/// The number of a run's node among those of the machine, or -1.
int number_of(const Machine& machine, const std::string& name) {
  const auto found = std::ranges::find(machine.nodes(), name, &placement::Node::name);
  return found == machine.nodes().end() ? -1 : static_cast<int>(found - machine.nodes().begin());
}

/// Gives processes slots of a node: those that may run on the fewest processors first.
class Seating {
 public:
  Seating(const Machine& machine, const Source& source) : machine_(machine), source_(source) {
    for (int slot = 0; slot < machine.slots(); ++slot) all_[machine.slot(slot).node].push_back(slot);
    free_ = all_;
  }

  /// The slot of each process; empty if the machine is not that of the run.
  std::vector<int> slots() {
    if (!ranks_without_node(source_).empty()) return {};
    std::vector<int> order(source_.node_of.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int process) { return processors_of(process).size(); });
    std::vector<int> taken(order.size());
    for (const bool bound : {true, false})
      for (const int process : order) {
        if (processors_of(process).empty() == bound) continue;
        const int slot = take(process);
        if (slot < 0) return {};
        taken[static_cast<std::size_t>(process)] = slot;
      }
    return taken;
  }
  bool is_any_guessed() const { return is_any_guessed_; }

 private:
  const std::vector<int>& processors_of(int process) const {
    static const std::vector<int> unknown;
    return source_.processors.empty() ? unknown : source_.processors[static_cast<std::size_t>(process)];
  }

  /// The first one among its processors, or just the first one; -1: there is none.
  int take(int process) {
    const int of_run = source_.node_of[static_cast<std::size_t>(process)];
    std::vector<int>& free = free_[number_of(machine_, source_.nodes[static_cast<std::size_t>(of_run)])];
    if (free.empty()) return -1;
    const std::vector<int>& own = processors_of(process);
    auto chosen = std::ranges::find_if(
        free, [&](int slot) { return std::ranges::binary_search(own, machine_.unit(machine_.slot(slot).core)); });
    if (chosen == free.end()) chosen = free.begin();
    is_any_guessed_ = is_any_guessed_ || !is_sure(own, *chosen);
    const int slot = *chosen;
    free.erase(chosen);
    return slot;
  }

  /// Whether the slot's first core is its own, and no other slot's is.
  bool is_sure(const std::vector<int>& processors, int slot) const {
    return std::ranges::all_of(all_.at(machine_.slot(slot).node), [&](int other) {
      return std::ranges::binary_search(processors, machine_.unit(machine_.slot(other).core)) == (other == slot);
    });
  }

  const Machine& machine_;
  const Source& source_;
  std::map<int, std::vector<int>> all_;  // slots by node, ascending
  std::map<int, std::vector<int>> free_;
  bool is_any_guessed_ = false;
};

bool has_parts_in_nodes(const Machine& machine) {
  return machine.within(machine.levels() - 1) < placement::Distance::node;
}

}  // namespace

std::map<std::string, std::vector<std::vector<int>>> processes_as_taken(const Source& source) {
  std::map<std::string, std::vector<std::vector<int>>> all;
  for (std::size_t i = 0; i < source.processors.size(); ++i)
    if (source.node_of[i] >= 0)
      all[source.nodes[static_cast<std::size_t>(source.node_of[i])]].push_back(source.processors[i]);
  return all;
}

std::string nodes_as_taken(const Source& source) {
  if (const std::vector<int> unknown = ranks_without_node(source); !unknown.empty())
    throw Problem("it is unknown on which node " + formats::named_ranks(unknown) + " ran", nodes_with_cores,
                  "--reorder");
  std::vector<int> processes(source.nodes.size());
  for (const int node : source.node_of) ++processes[static_cast<std::size_t>(node)];
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (processes[i] > 0) parts.push_back(fmt::format("{}:{}", source.nodes[i], processes[i]));
  return join(parts, ",");
}

Reordering reordering(const Machine& machine, const placement::Mapping& mapping, const Source& source) {
  if (machine.slots() != static_cast<int>(mapping.size()))
    throw Problem(fmt::format("it is unknown which places are empty: {} on {}", report::plural(mapping.size(), "rank"),
                              report::plural(static_cast<std::uint64_t>(machine.slots()), "place")),
                  nodes_with_cores, "--reorder");
  Seating seating(machine, source);
  std::vector<int> slots = seating.slots();
  const bool is_as_run = slots.size() == mapping.size();
  if (!is_as_run) {
    slots.resize(mapping.size());
    std::iota(slots.begin(), slots.end(), 0);
  }
  std::vector<int> rank_at(mapping.size());
  for (std::size_t rank = 0; rank < mapping.size(); ++rank)
    rank_at[static_cast<std::size_t>(mapping[rank])] = static_cast<int>(rank);
  Reordering made;
  made.are_cores_guessed = has_parts_in_nodes(machine) && (!is_as_run || seating.is_any_guessed());
  for (const int slot : slots) made.order.push_back(rank_at[static_cast<std::size_t>(slot)]);
  return made;
}

}  // namespace cairn::place
