// SPDX-License-Identifier: BSD-3-Clause
// source.hpp - who sends how much to whom, from a run's folder or a file
#pragma once

#include <string>
#include <vector>

#include "base/message.hpp"
#include "formats/matrix_market.hpp"

namespace cairn::place {

enum class Unit { bytes, messages };

struct Source {
  formats::Matrix matrix;
  std::string run;                           // identity; "" of a file
  std::string program;                       // "" of a file
  std::string collectives;                   // where what collective calls send comes from; "" of a file
  std::vector<std::string> nodes;            // that the run had
  std::vector<int> node_of;                  // by rank, if it had nodes; negative: not known
  std::vector<std::vector<int>> processors;  // by rank: on which it could run, ascending; none if that is not known
  Unit unit = Unit::bytes;
  std::vector<Problem> warnings{};  // of what is known in part
};

/// Of which neither comm nor the run knows the node, where it does of others.
std::vector<int> ranks_without_node(const Source& source);

/// Throws Problem. Without phases all of them.
Source read_source(const std::string& path, Unit unit, const std::vector<std::string>& phases);

}  // namespace cairn::place
