// SPDX-License-Identifier: BSD-3-Clause
// launch_files.cc - rankfile and host files

#include "cli/place/launch_files.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace cairn::place {

namespace {

using placement::Machine;
using placement::Mapping;
using placement::Slot;

const std::string& name_of(const Machine& machine, const Slot& slot) {
  return machine.nodes()[static_cast<std::size_t>(slot.node)].name;
}

}  // namespace

std::string rankfile(const Machine& machine, const Mapping& mapping, bool has_names) {
  std::string text;
  for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
    const Slot& slot = machine.slot(mapping[rank]);
    const int last = slot.core + machine.cores_per_rank() - 1;
    text +=
        fmt::format("rank {}={} slot={}{}\n", rank, has_names ? name_of(machine, slot) : fmt::format("+n{}", slot.node),
                    slot.core, last > slot.core ? fmt::format("-{}", last) : "");
  }
  return text;
}

std::string hydra_file(const Machine& machine, const Mapping& mapping) {
  std::string text;
  for (std::size_t rank = 0; rank < mapping.size();) {  // consecutive ranks on one node are one line
    const Slot& first = machine.slot(mapping[rank]);
    std::vector<std::string> bindings;
    for (; rank < mapping.size() && machine.slot(mapping[rank]).node == first.node; ++rank) {
      std::vector<std::string> units;
      for (int i = 0; i < machine.cores_per_rank(); ++i)
        units.push_back(std::to_string(machine.unit(machine.slot(mapping[rank]).core + i)));
      bindings.push_back(join(units, "+"));
    }
    text += fmt::format("{}:{} binding=user:{}\n", name_of(machine, first), bindings.size(), join(bindings, ","));
  }
  return text;
}

std::string slurm_file(const Machine& machine, const Mapping& mapping) {
  std::string text;
  for (const int slot : mapping) text += name_of(machine, machine.slot(slot)) + "\n";
  return text;
}

}  // namespace cairn::place
