// SPDX-License-Identifier: BSD-3-Clause
// reordering.hpp - a mapping without moving processes: which rank each of them is to have
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/place/source.hpp"
#include "formats/rank_order.hpp"
#include "placement/mapping.hpp"

namespace cairn::place {

/// By node, the processors of each process; none if they stay unknown.
std::map<std::string, std::vector<std::vector<int>>> processes_as_taken(const Source& source);

/// The nodes of a run with a core for each of its processes, as --nodes takes them; "" if the run does not tell any. Throws
/// Problem if it does not tell those of all.
std::string nodes_as_taken(const Source& source);

struct Reordering {
  formats::RankOrder order;
  /// Some are not bound to cores that the machine has, and what is inside a node matters: they are taken to have its cores
  /// in order.
  bool are_cores_guessed = false;
};

/// Processes are where the run had them, on cores that they were bound to; otherwise on one node after the other. Throws
/// Problem unless there is a place for each process, and no more.
Reordering reordering(const placement::Machine& machine, const placement::Mapping& mapping, const Source& source);

}  // namespace cairn::place
