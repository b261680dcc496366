// SPDX-License-Identifier: BSD-3-Clause
// job.hpp - a job that never was: ranks on a three-dimensional grid, each with six neighbors
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>

namespace cairn::scale {

struct Job {
  explicit Job(int all, int on_a_node = 64)
      : ranks(all), per_node(on_a_node), side(std::max(1, static_cast<int>(std::cbrt(all)))) {}

  int nodes() const { return (ranks + per_node - 1) / per_node; }
  int node_of(int rank) const { return rank / per_node; }
  static std::string node_name(int node) { return "node" + std::to_string(100'000 + node); }
  std::string ranks_of_node(int node) const {
    const int first = node * per_node;
    return std::to_string(first) + "-" + std::to_string(std::min(ranks, first + per_node) - 1);
  }
  std::set<int> neighbors(int rank) const {
    std::set<int> all;
    for (const int step : {1, side, side * side}) {
      all.insert((rank + step) % ranks);
      all.insert((rank - step % ranks + ranks) % ranks);
    }
    all.erase(rank);
    return all;
  }
  /// Between 0 and 1, the same in every run.
  static double chance(std::uint64_t of) {
    of = (of + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
    of = (of ^ of >> 27U) * 0x94d049bb133111ebU;
    return static_cast<double>(of >> 11U) * 0x1p-53;
  }
  /// The one that the others wait for.
  int late_rank() const { return ranks / 3; }

  int ranks;
  int per_node;
  int side;
};

inline const char* const program = "/home/user/halo";
inline const char* const identity = "0123456789abcdef";

}  // namespace cairn::scale
