// SPDX-License-Identifier: BSD-3-Clause
// machine.hpp - a machine as a tree: switches, nodes, what cores of a node share; its leaves are slots, the places of
// ranks
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::placement {

/// What two ranks have in common at the nearest.
enum class Distance : std::uint8_t { cache, numa, node, leaf_switch, farther };
inline constexpr std::size_t distances = 5;
inline constexpr std::array<std::string_view, distances> distance_names = {"cache", "numa", "node", "switch",
                                                                           "farther"};

/// A node's cores, in order. Each level groups them: the objects' numbers by core, never falling.
struct NodeShape {
  struct Level {
    Distance within = Distance::node;
    std::vector<int> object_of;  // by core
  };
  int cores = 0;
  std::vector<Level> levels;  // the widest first
  std::vector<int> units;     // by core: the system's number of its first processing unit

  /// All cores alike, numbered as they come.
  static NodeShape flat(int cores);
};

struct Node {
  std::string name;
  int cores = 0;                // the first ones of the node's shape
  std::vector<int> switches{};  // that it is behind, the root first; of all nodes equally many
  std::vector<int> seats{};     // the (first) core of each place for a rank, ascending; none: as Seats says
};

/// How ranks are put on a node.
struct Seats {
  int cores_per_rank = 1;
  int ranks_per_node = 0;  // 0: as many as there is room for
};

struct Slot {
  int node = 0;
  int core = 0;   // its first one on the node
  int first = 0;  // the same, counted over all nodes
};

class Machine {
 public:
  Machine(std::vector<Node> nodes, const NodeShape& shape, const Seats& seats);

  int slots() const { return static_cast<int>(slots_.size()); }
  const Slot& slot(int index) const { return slots_[static_cast<std::size_t>(index)]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  int cores_per_rank() const { return seats_.cores_per_rank; }
  /// The system's number of a core of any node.
  int unit(int core) const { return units_[static_cast<std::size_t>(core)]; }

  /// Levels from the whole machine, 0, inwards; slots are beneath the last. Objects of a level are consecutive slots.
  int levels() const { return static_cast<int>(levels_.size()); }
  int objects(int level) const { return levels_[static_cast<std::size_t>(level)].objects; }
  int object_of(int level, int slot) const {
    return levels_[static_cast<std::size_t>(level)].object_of[static_cast<std::size_t>(slot)];
  }
  /// How many of the slots from `first` on are in each object of the level, which are met in order; beneath the last
  /// level each slot is one.
  std::vector<int> slots_by_object(int level, int first, int count) const;
  Distance within(int level) const { return levels_[static_cast<std::size_t>(level)].within; }
  /// The innermost level at which two different slots are in one object.
  int common_level(int a, int b) const {
    return level_of_bit_[static_cast<std::size_t>(
        std::countl_zero(keys_[static_cast<std::size_t>(a)] ^ keys_[static_cast<std::size_t>(b)]))];
  }
  /// Edges of the tree from a slot up to an object of the level and down to another slot.
  int hops(int level) const { return 2 * (levels() - level); }

 private:
  struct Level {
    Distance within = Distance::farther;
    int objects = 0;
    std::vector<int> object_of;  // by slot
  };

  void add_slots(const NodeShape& shape);
  void add_level(Distance within, std::vector<int> object_of);
  void make_keys();

  std::vector<Node> nodes_;
  Seats seats_;
  std::vector<int> units_;
  std::vector<Slot> slots_;
  std::vector<Level> levels_;
  std::vector<std::uint64_t> keys_;  // by slot: its number among its siblings, level by level, the highest bits first
  std::array<std::int8_t, 65> level_of_bit_{};
};

}  // namespace cairn::placement
