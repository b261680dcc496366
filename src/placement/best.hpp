// SPDX-License-Identifier: BSD-3-Clause
// best.hpp - the best mapping that is found, beside those of launchers
#pragma once

#include <string_view>
#include <vector>

#include "placement/libraries.hpp"
#include "placement/mapping.hpp"

namespace cairn::placement {

struct Named {
  std::string_view name;
  Mapping mapping;
  Cost cost;
};

/// What is not worth the trouble: a smaller part of the hop-bytes of the better usual mapping.
inline constexpr double worth = 0.05;

/// cairn, slot, node, random.
struct Comparison {
  std::vector<Named> mappings;

  const Named& own() const { return mappings[0]; }
  const Named& by_slot() const { return mappings[1]; }
  const Named& by_node() const { return mappings[2]; }
  /// The better of these two.
  const Named& usual() const { return by_node().cost.hop_bytes < by_slot().cost.hop_bytes ? by_node() : by_slot(); }
  /// The part of the usual mapping's hop-bytes that is saved.
  double gain() const { return usual().cost.hop_bytes > 0 ? 1 - own().cost.hop_bytes / usual().cost.hop_bytes : 0; }
  bool is_worth_it() const { return gain() >= worth; }
};

/// Without libraries nothing comes from Scotch. There are as many slots as ranks, or more.
Comparison compare_mappings(const Traffic& traffic, const Machine& machine, const Libraries* libraries);

}  // namespace cairn::placement
