// SPDX-License-Identifier: BSD-3-Clause
// scotch_starts.cc - mappings by Scotch, which balances as well as it can; here they come to a rank per slot
//
// Where there are more slots than ranks, the first ones are used; refining may take others.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "placement/starts.hpp"

namespace cairn::placement {

namespace {

constexpr int most_leaves = 8192;  // for Scotch's mapping onto the tree, whose time grows with their number
constexpr int seeds = 4;           // Scotch's results vary by some percent
constexpr std::size_t most_pairs_for_seeds = 100'000;
constexpr double all_weights = 1'000'000'000;  // of a graph's edges: they must fit into 31 bits

/// Some ranks and what they exchange among themselves.
Graph graph_of(const Traffic& traffic, std::span<const int> ranks, std::vector<int>& vertex_of) {
  for (std::size_t i = 0; i < ranks.size(); ++i) vertex_of[static_cast<std::size_t>(ranks[i])] = static_cast<int>(i);
  Graph graph;
  graph.begin.push_back(0);
  const double scale = std::max(1.0, traffic.total() / all_weights);
  for (const int rank : ranks) {
    for (const Partner& partner : traffic.partners(rank)) {
      const int vertex = vertex_of[static_cast<std::size_t>(partner.rank)];
      if (vertex < 0 || !(partner.amount > 0)) continue;
      graph.partners.push_back(vertex);
      graph.weights.push_back(std::max(1, static_cast<int>(partner.amount / scale)));
    }
    graph.begin.push_back(static_cast<int>(graph.partners.size()));
  }
  for (const int rank : ranks) vertex_of[static_cast<std::size_t>(rank)] = -1;
  return graph;
}

/// How many objects of each level are in one of the level before, if that is the same everywhere on the first `slots`.
std::vector<int> regular_children(const Machine& machine, int slots) {
  std::vector<int> children;
  int before = 1;
  for (int level = 1; level <= machine.levels(); ++level) {
    const std::vector<int> sizes = machine.slots_by_object(level, 0, slots);
    const int count = static_cast<int>(sizes.size());
    if (count % before != 0 || std::ranges::any_of(sizes, [&](int size) { return size != sizes.front(); })) return {};
    children.push_back(count / before);
    before = count;
  }
  return children;
}

/// In the order of their leaves; those that share one come to the next.
Mapping without_doubles(const std::vector<int>& leaves) {
  std::vector<int> order(leaves.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int rank) { return leaves[static_cast<std::size_t>(rank)]; });
  Mapping mapping(leaves.size());
  for (std::size_t i = 0; i < order.size(); ++i) mapping[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  return mapping;
}

/// Moves vertices out of parts that are too large, those first that lose least.
void balance(const Graph& graph, const std::vector<int>& sizes, std::vector<int>& part) {
  std::vector<int> room = sizes;
  for (const int one : part) --room[static_cast<std::size_t>(one)];
  const auto room_of = [&](int vertex) -> int& {
    return room[static_cast<std::size_t>(part[static_cast<std::size_t>(vertex)])];
  };
  const auto loss_of = [&](int vertex, int to) {
    double loss = 0;
    for (int i = graph.begin[static_cast<std::size_t>(vertex)]; i < graph.begin[static_cast<std::size_t>(vertex) + 1];
         ++i) {
      const int there = part[static_cast<std::size_t>(graph.partners[static_cast<std::size_t>(i)])];
      const int weight = graph.weights[static_cast<std::size_t>(i)];
      if (there == part[static_cast<std::size_t>(vertex)]) loss += weight;
      if (there == to) loss -= weight;
    }
    return loss;
  };
  for (std::size_t to = 0; to < room.size(); ++to)
    while (room[to] > 0) {
      int best = -1;
      double least = 0;
      for (int vertex = 0; vertex < graph.vertices(); ++vertex)
        if (room_of(vertex) < 0)
          if (const double loss = loss_of(vertex, static_cast<int>(to)); best < 0 || loss < least) {
            best = vertex;
            least = loss;
          }
      if (best < 0) break;
      ++room_of(best);
      part[static_cast<std::size_t>(best)] = static_cast<int>(to);
      --room[to];
    }
}

/// From level to level: the ranks of an object are parted among the objects in it.
class Descent {
 public:
  Descent(const Traffic& traffic, const Machine& machine, const Libraries& libraries)
      : traffic_(traffic),
        machine_(machine),
        libraries_(libraries),
        mapping_(static_cast<std::size_t>(traffic.ranks())),
        vertex_of_(mapping_.size(), -1) {
    std::vector<int> all(mapping_.size());
    std::iota(all.begin(), all.end(), 0);
    place(all, 0, 1);
  }
  Mapping take() { return failed_ ? Mapping{} : std::move(mapping_); }

 private:
  /// As many slots as ranks, from `first` on, all in one object of the level before.
  void place(const std::vector<int>& ranks, int first, int level) {
    if (level >= machine_.levels()) {
      for (std::size_t i = 0; i < ranks.size(); ++i)
        mapping_[static_cast<std::size_t>(ranks[i])] = first + static_cast<int>(i);
      return;
    }
    const std::vector<int> sizes = machine_.slots_by_object(level, first, static_cast<int>(ranks.size()));
    for (const std::vector<int>& part : parts(ranks, sizes)) {
      place(part, first, level + 1);
      first += static_cast<int>(part.size());
    }
  }

  std::vector<std::vector<int>> parts(const std::vector<int>& ranks, const std::vector<int>& sizes) {
    if (sizes.size() == 1) return {ranks};
    const Graph graph = graph_of(traffic_, ranks, vertex_of_);
    std::vector<int> part = libraries_.part(graph, sizes);
    failed_ = failed_ || part.size() != ranks.size();
    if (failed_) return {};
    balance(graph, sizes, part);
    std::vector<std::vector<int>> members(sizes.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) members[static_cast<std::size_t>(part[i])].push_back(ranks[i]);
    return members;
  }

  const Traffic& traffic_;
  const Machine& machine_;
  const Libraries& libraries_;
  Mapping mapping_;
  std::vector<int> vertex_of_;
  bool failed_ = false;
};

void add_onto_tree(const Traffic& traffic, const Machine& machine, const Libraries& libraries,
                   std::vector<Mapping>& mappings) {
  const std::vector<int> children = regular_children(machine, traffic.ranks());
  if (children.empty() || traffic.ranks() > most_leaves) return;
  std::vector<int> hops;
  for (int level = 0; level < machine.levels(); ++level) hops.push_back(machine.hops(level));
  std::vector<int> all(static_cast<std::size_t>(traffic.ranks()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> vertex_of(all.size(), -1);
  const Graph graph = graph_of(traffic, all, vertex_of);
  for (int seed = 1; seed <= (traffic.pairs() > most_pairs_for_seeds ? 1 : seeds); ++seed)
    mappings.push_back(without_doubles(libraries.map_to_tree(graph, children, hops, seed)));
}

}  // namespace

std::vector<Mapping> by_scotch(const Traffic& traffic, const Machine& machine, const Libraries& libraries) {
  std::vector<Mapping> mappings;
  add_onto_tree(traffic, machine, libraries, mappings);
  mappings.push_back(Descent(traffic, machine, libraries).take());
  std::erase_if(mappings, [](const Mapping& mapping) { return mapping.empty(); });
  return mappings;
}

}  // namespace cairn::placement
