// SPDX-License-Identifier: BSD-3-Clause
// tilings.cc - finds the grid behind a matrix by the distances of partners' ranks, and cuts it into boxes

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "placement/starts.hpp"

namespace cairn::placement {

namespace {

using Dimensions = std::array<int, 3>;  // of the grid; the last one's ranks follow each other

/// Distances of ranks that carry much of the traffic, ascending; at most eight.
std::vector<int> frequent_distances(const Traffic& traffic) {
  std::vector<double> amounts(static_cast<std::size_t>(std::max(1, traffic.ranks())));
  for (int rank = 0; rank < traffic.ranks(); ++rank)
    for (const Partner& partner : traffic.partners(rank))
      if (partner.rank > rank) amounts[static_cast<std::size_t>(partner.rank - rank)] += partner.amount;
  std::vector<int> distances;
  for (int i = 2; i < traffic.ranks(); ++i)
    if (amounts[static_cast<std::size_t>(i)] > 0.02 * traffic.total()) distances.push_back(i);
  std::ranges::stable_sort(distances, std::greater<>(),
                           [&](int one) { return amounts[static_cast<std::size_t>(one)]; });
  if (distances.size() > 8) distances.resize(8);
  std::ranges::sort(distances);
  return distances;
}

std::vector<Dimensions> grids_of(const Traffic& traffic) {
  const int ranks = traffic.ranks();
  const std::vector<int> distances = frequent_distances(traffic);
  std::vector<Dimensions> grids;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const int row = distances[i];
    if (ranks % row == 0) grids.push_back({1, ranks / row, row});
    for (std::size_t j = i + 1; j < distances.size(); ++j)
      if (const int plane = distances[j]; plane % row == 0 && ranks % plane == 0)
        grids.push_back({ranks / plane, plane / row, row});
  }
  return grids;
}

/// Slots first to last, all in one object of `level`, for a box of as many ranks.
class Tiling {
 public:
  Tiling(const Machine& machine, const Dimensions& grid) : machine_(machine), grid_(grid) {
    const int ranks = grid[0] * grid[1] * grid[2];
    mapping_.resize(static_cast<std::size_t>(ranks));
    std::vector<int> all(mapping_.size());
    std::iota(all.begin(), all.end(), 0);
    cut(all, 0, 0);
  }
  Mapping take() { return std::move(mapping_); }

 private:
  int coordinate(int rank, std::size_t dimension) const {
    if (dimension == 2) return rank % grid_[2];
    return dimension == 1 ? rank / grid_[2] % grid_[1] : rank / grid_[2] / grid_[1];
  }

  /// Where a cut parts objects of the level from each other, as near to the middle as there is one; 0: nowhere.
  int middle(int first, int count, int level) const {
    int best = 0;
    for (int slot = first + 1; slot < first + count; ++slot) {
      if (machine_.object_of(level, slot) == machine_.object_of(level, slot - 1)) continue;
      if (best == 0 || std::abs(2 * (slot - first) - count) < std::abs(2 * best - count)) best = slot - first;
    }
    return best;
  }

  void cut(std::span<int> ranks, int first, int level) {
    const int count = static_cast<int>(ranks.size());
    int left = 0;
    while (level < machine_.levels() && (left = middle(first, count, level)) == 0) ++level;
    if (left == 0) {
      for (int i = 0; i < count; ++i)
        mapping_[static_cast<std::size_t>(ranks[static_cast<std::size_t>(i)])] = first + i;
      return;
    }
    const std::size_t along = longest(ranks);
    const auto key = [&](int rank) { return std::pair(coordinate(rank, along), rank); };
    std::ranges::nth_element(ranks, ranks.begin() + left, {}, key);
    cut(ranks.first(static_cast<std::size_t>(left)), first, level);
    cut(ranks.subspan(static_cast<std::size_t>(left)), first + left, level);
  }

  std::size_t longest(std::span<const int> ranks) const {
    std::size_t longest = 0;
    int most = -1;
    for (std::size_t dimension = 0; dimension < 3; ++dimension) {
      const auto [low, high] = std::ranges::minmax(ranks, {}, [&](int rank) { return coordinate(rank, dimension); });
      const int extent = coordinate(high, dimension) - coordinate(low, dimension);
      if (extent > most) longest = dimension;
      most = std::max(most, extent);
    }
    return longest;
  }

  const Machine& machine_;
  Dimensions grid_;
  Mapping mapping_;
};

}  // namespace

std::vector<Mapping> tilings(const Traffic& traffic, const Machine& machine) {
  std::vector<Mapping> mappings;
  for (const Dimensions& grid : grids_of(traffic)) mappings.push_back(Tiling(machine, grid).take());
  return mappings;
}

}  // namespace cairn::placement
