// SPDX-License-Identifier: BSD-3-Clause
// machine.cc - from nodes and their shape to a tree with slots

#include "placement/machine.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace cairn::placement {

namespace {

/// The first cores of each seat on the first `cores` cores: no seat is in two objects of a level where it has room in one.
std::vector<int> seats_on(const NodeShape& shape, int cores, int cores_per_rank) {
  std::vector<int> parts(static_cast<std::size_t>(cores), 0);  // the smallest objects with room for a rank
  for (const NodeShape::Level& level : shape.levels) {
    std::map<int, int> sizes;
    for (int core = 0; core < cores; ++core) ++sizes[level.object_of[static_cast<std::size_t>(core)]];
    if (std::ranges::any_of(sizes, [&](const auto& size) { return size.second < cores_per_rank; })) break;
    std::copy_n(level.object_of.begin(), cores, parts.begin());
  }
  std::vector<int> seats;
  for (int core = 0; core + cores_per_rank <= cores;) {
    const int last = core + cores_per_rank - 1;
    if (parts[static_cast<std::size_t>(core)] != parts[static_cast<std::size_t>(last)]) {
      ++core;
      continue;
    }
    seats.push_back(core);
    core = last + 1;
  }
  return seats;
}

/// `wanted` of them, spread evenly, so that each has its share of caches and memory.
std::vector<int> spread(const std::vector<int>& seats, int wanted) {
  const std::size_t count = wanted > 0 ? std::min(static_cast<std::size_t>(wanted), seats.size()) : seats.size();
  std::vector<int> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(seats[i * seats.size() / count]);
  return chosen;
}

/// Numbers from 0 without gaps for consecutive slots with the same path of objects.
std::vector<int> numbered(const std::vector<std::vector<int>>& paths) {
  std::vector<int> numbers(paths.size());
  for (std::size_t i = 1; i < paths.size(); ++i) numbers[i] = numbers[i - 1] + (paths[i] != paths[i - 1] ? 1 : 0);
  return numbers;
}

}  // namespace

NodeShape NodeShape::flat(int cores) {
  NodeShape shape{cores, {}, std::vector<int>(static_cast<std::size_t>(cores))};
  std::iota(shape.units.begin(), shape.units.end(), 0);
  return shape;
}

Machine::Machine(std::vector<Node> nodes, const NodeShape& shape, const Seats& seats)
    : nodes_(std::move(nodes)), seats_(seats), units_(shape.units) {
  std::ranges::stable_sort(nodes_, {}, &Node::switches);  // objects are consecutive slots
  add_slots(shape);
  std::vector<std::vector<int>> paths(slots_.size());
  const std::size_t switch_levels = nodes_.empty() ? 0 : nodes_.front().switches.size();
  add_level(switch_levels > 1 ? Distance::farther : Distance::leaf_switch, std::vector<int>(slots_.size(), 0));
  const auto extend = [&](Distance within, auto object_of) {
    for (std::size_t i = 0; i < slots_.size(); ++i) paths[i].push_back(object_of(slots_[i]));
    add_level(within, numbered(paths));
  };
  for (std::size_t i = 0; i < switch_levels; ++i)
    extend(i + 1 == switch_levels ? Distance::leaf_switch : Distance::farther,
           [&](const Slot& slot) { return nodes_[static_cast<std::size_t>(slot.node)].switches[i]; });
  extend(Distance::node, [](const Slot& slot) { return slot.node; });
  for (const NodeShape::Level& level : shape.levels)
    extend(level.within, [&](const Slot& slot) { return level.object_of[static_cast<std::size_t>(slot.core)]; });
  while (levels_.size() > 1 && levels_.back().objects == slots()) levels_.pop_back();
  make_keys();
}

void Machine::add_slots(const NodeShape& shape) {
  int before = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::vector<int> seats = nodes_[i].seats;
    if (seats.empty()) seats = spread(seats_on(shape, nodes_[i].cores, seats_.cores_per_rank), seats_.ranks_per_node);
    for (const int core : seats) slots_.push_back({static_cast<int>(i), core, before + core});
    before += nodes_[i].cores;
  }
}

std::vector<int> Machine::slots_by_object(int level, int first, int count) const {
  std::vector<int> sizes;
  for (int slot = first; slot < first + count; ++slot) {
    const bool is_new = slot == first || level == levels() || object_of(level, slot) != object_of(level, slot - 1);
    if (is_new) sizes.push_back(0);
    ++sizes.back();
  }
  return sizes;
}

/// A level that groups slots as the one before takes its place: the nearer thing that they have in common.
void Machine::add_level(Distance within, std::vector<int> object_of) {
  const int objects = object_of.empty() ? 0 : object_of.back() + 1;
  if (!levels_.empty() && levels_.back().objects == objects) levels_.pop_back();
  levels_.push_back({within, objects, std::move(object_of)});
}

void Machine::make_keys() {
  keys_.assign(slots_.size(), 0);
  level_of_bit_.fill(0);
  int used = 0;
  for (int level = 0; level < levels(); ++level) {
    const bool is_last = level + 1 == levels();
    std::uint64_t most = 0;
    std::vector<std::uint64_t> number(slots_.size());
    for (int slot = 1; slot < slots(); ++slot) {
      const auto at = static_cast<std::size_t>(slot);
      const bool same_parent = object_of(level, slot) == object_of(level, slot - 1);
      const bool same = !is_last && object_of(level + 1, slot) == object_of(level + 1, slot - 1);
      number[at] = same_parent ? number[at - 1] + (same ? 0 : 1) : 0;
      most = std::max(most, number[at]);
    }
    const int bits = static_cast<int>(std::bit_width(most));
    for (std::size_t i = 0; bits > 0 && i < number.size(); ++i) keys_[i] |= number[i] << (64 - used - bits);
    for (int bit = used; bit < used + bits; ++bit)
      level_of_bit_[static_cast<std::size_t>(bit)] = static_cast<std::int8_t>(level);
    used += bits;
  }
  for (int bit = used; bit <= 64; ++bit)
    level_of_bit_[static_cast<std::size_t>(bit)] = static_cast<std::int8_t>(levels() - 1);
}

}  // namespace cairn::placement
