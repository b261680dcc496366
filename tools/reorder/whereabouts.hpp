// SPDX-License-Identifier: BSD-3-Clause
// whereabouts.hpp - where a process is: its node, and which parts of the node it cannot leave
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace reorder {

/// Packages, NUMA nodes, L3 and L2 caches.
inline constexpr std::size_t kinds_of_parts = 4;

struct Whereabouts {
  std::uint64_t node = 0;                      // any number for each
  std::array<int, kinds_of_parts> parts = {};  // the widest first, any number for each part of a node; 0: in none
  auto operator<=>(const Whereabouts&) const = default;
};

/// The parts that have all of these processors, as `system` ("/sys/devices/system") describes them.
std::array<int, kinds_of_parts> parts_with(const std::vector<int>& processors, const std::string& system);

}  // namespace reorder
