// SPDX-License-Identifier: BSD-3-Clause
// causes.hpp - what those who came late had done since the two last met, to the end of the chain
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "waits/states.hpp"

namespace cairn::waits {

/// Work between two calls, by their sites; or a call itself: `to` is none. Both none: the start of MPI.
struct Piece {
  Index from = none;
  Index to = none;

  auto operator<=>(const Piece&) const = default;
};
inline Piece work_before(const Graph& graph, Index node) {
  const Index before = graph.previous(node);
  return before == none ? Piece{} : Piece{graph.nodes[before].site, graph.nodes[node].site};
}

using Pieces = std::set<Piece>;

/// Work before the same call is one thing, whatever came before it: the first time round a loop, too.
inline Piece key_of(Piece piece) { return piece.to == none ? piece : Piece{none, piece.to}; }

/// Of pieces with one key. `is_usual`: what idle ranks (own_costs.hpp) wait while it takes no longer than usual, which is
/// not lost: they have nothing else to do.
struct CauseSum {
  Piece piece;  // of the dearest; nothing known: both none
  bool is_usual = false;
  std::map<Piece, double> pieces;
  Index region = 0;
  double cost_ns = 0;
  std::uint64_t times = 0;
  std::map<int, double> by_rank;
  std::map<std::pair<WaitKind, Index>, double> symptoms;  // kind and site of the wait

  /// The same cause in another section.
  void add(const CauseSum& other);
  void find_dearest();
};

using CauseKey = std::pair<Piece, bool>;
inline CauseKey key_of(const CauseSum& cause) { return {key_of(cause.piece), cause.is_usual}; }

/// By cost, the dearest first. The sum of all costs is all waiting of processes (own_costs.hpp).
std::vector<CauseSum> causes_of(const Graph& graph, const Waits& waits);

}  // namespace cairn::waits
