// SPDX-License-Identifier: BSD-3-Clause
// machine.hpp - the machine that ranks are placed on, from the command's options
#pragma once

#include <string>
#include <vector>

#include "placement/libraries.hpp"
#include "placement/machine.hpp"

namespace cairn::place {

struct MachineWish {
  std::string nodes;     // a number, a list, a file; "": those of the run, or of the topology, or one
  std::string machine;   // "": this one
  std::string topology;  // "": one switch
  placement::Seats seats;
};

struct KnownMachine {
  placement::Machine machine;
  bool has_names = false;  // whether the nodes' names are real
};

/// Throws Problem unless it has room for the ranks.
KnownMachine machine_of(const MachineWish& wish, int ranks, const std::vector<std::string>& nodes_of_run,
                        const placement::Libraries& libraries);

}  // namespace cairn::place
