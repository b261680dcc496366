// SPDX-License-Identifier: BSD-3-Clause
// machine.hpp - the machine that ranks are placed on, from the command's options
#pragma once

#include <map>
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
  /// By node of a run, the processors of each of its processes: these are the places, if processes are to stay where they
  /// are and each is bound to cores of its own.
  std::map<std::string, std::vector<std::vector<int>>> processes;
};

struct KnownMachine {
  placement::Machine machine;
  bool has_names = false;  // whether the nodes' names are real
};

/// Throws Problem unless it has room for the ranks.
KnownMachine machine_of(const MachineWish& wish, int ranks, const std::vector<std::string>& nodes_of_run,
                        const placement::Libraries& libraries);

}  // namespace cairn::place
