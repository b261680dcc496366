// SPDX-License-Identifier: BSD-3-Clause
// predictions.cc - replays with other durations

#include "waits/predictions.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::waits {

namespace {

constexpr double replay_error = 0.02;  // of what a change brings: what follows on it in the library is not replayed

std::int64_t part_of(std::int64_t ns, double factor) {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(ns) * factor));
}

}  // namespace

WorkSums::WorkSums(const Graph& graph) : by_rank_(static_cast<std::size_t>(graph.size)) {
  for (const Lane& lane : graph.lanes) {
    ranks_ += lane.is_main ? 1 : 0;
    for (Index node = lane.first + 1; node < lane.last; ++node) {
      const double seconds =
          1e-9 * static_cast<double>(std::max<std::int64_t>(0, graph.nodes[node].entry - graph.nodes[node - 1].exit));
      const Piece piece = work_before(graph, node);
      sums_[{piece, lane.rank}] += seconds;
      totals_[piece] += seconds;
      if (lane.is_main) by_rank_[static_cast<std::size_t>(lane.rank)] += seconds;
    }
  }
}

double WorkSums::of(Piece piece, int rank) const {
  const auto found = sums_.find({piece, rank});
  return found == sums_.end() ? 0 : found->second;
}

double WorkSums::mean_of_others(Piece piece, const std::vector<int>& ranks) const {
  const auto found = totals_.find(piece);
  if (found == totals_.end()) return 0;
  const auto others = ranks_ - static_cast<int>(ranks.size());
  if (others <= 0) return found->second / std::max(1, ranks_);
  double total = found->second;
  for (const int rank : ranks) total -= of(piece, rank);
  return std::max(0.0, total) / others;
}

Predictions::Predictions(const Graph& graph, const Waits& waits, const WorkSums& work)
    : graph_(graph), work_(work), replay_(graph, waits) {
  replayed_s_ = 1e-9 * static_cast<double>(replay_.run({}));
}

Prediction Predictions::with(const Change& change) {
  const double predicted = 1e-9 * static_cast<double>(replay_.run(change));
  return {predicted, std::abs(replayed_s_ - graph_.run_s()) + replay_error * std::abs(predicted - replayed_s_)};
}

Prediction Predictions::as_the_others(const std::map<Piece, double>& pieces, const std::vector<int>& ranks) {
  std::map<std::pair<Piece, int>, double> factors;
  for (const auto& [piece, cost] : pieces)
    for (const int rank : ranks)
      if (const double own = work_.of(piece, rank); own > 0)
        factors[{piece, rank}] = std::min(1.0, work_.mean_of_others(piece, ranks) / own);
  Change change;
  change.work = [&](Index node, std::int64_t ns) {
    const auto factor = factors.find({work_before(graph_, node), graph_.rank(node)});
    return factor == factors.end() ? ns : part_of(ns, factor->second);
  };
  return with(change);
}

Prediction Predictions::scaled(const std::vector<Piece>& pieces, const std::vector<int>& ranks, double factor) {
  Change change;
  const auto is_changed = [&](Piece piece, int rank) {
    return std::ranges::find(pieces, piece) != pieces.end() &&
           (ranks.empty() || std::ranges::find(ranks, rank) != ranks.end());
  };
  change.work = [&](Index node, std::int64_t ns) {
    return is_changed(work_before(graph_, node), graph_.rank(node)) ? part_of(ns, factor) : ns;
  };
  change.transfer = [&](Index node, std::int64_t ns) {
    return is_changed({graph_.nodes[node].site, none}, graph_.rank(node)) ? part_of(ns, factor) : ns;
  };
  return with(change);
}

Prediction Predictions::ideal_network() {
  Change change;
  change.sends_are_free = true;
  change.transfer = [&](Index node, std::int64_t ns) { return graph_.is_first(node) ? ns : 0; };
  return with(change);
}

Prediction Predictions::perfect_balance() {
  double mean = 0;
  for (const double seconds : work_.by_rank()) mean += seconds / static_cast<double>(work_.by_rank().size());
  Change change;
  change.work = [&](Index node, std::int64_t ns) {
    const double own = work_.by_rank()[static_cast<std::size_t>(graph_.rank(node))];
    return own > 0 && graph_.lanes[graph_.nodes[node].lane].is_main ? part_of(ns, mean / own) : ns;
  };
  return with(change);
}

Prediction Predictions::eager_messages() {
  Change change;
  change.sends_are_free = true;
  return with(change);
}

Prediction Predictions::free_calls(Index site) {
  std::vector<bool> is_free(graph_.nodes.size());
  for (std::size_t node = 0; node < is_free.size(); ++node) is_free[node] = graph_.nodes[node].site == site;
  for (const Link& link : graph_.links)
    if (graph_.nodes[link.send_begin].site == site && link.receive_end != none) is_free[link.receive_end] = true;
  Change change;
  change.is_free = [&](const Operation& of) { return graph_.nodes[graph_.parts[of.first].begin].site == site; };
  change.transfer = [&](Index node, std::int64_t ns) { return is_free[node] ? 0 : ns; };
  return with(change);
}

Prediction Predictions::free_collectives() {
  Change change;
  change.is_free = [](const Operation& of) { return of.pattern != Pattern::finalize; };
  change.transfer = [&](Index node, std::int64_t ns) {
    for (Index i = graph_.ended_at[node]; i < graph_.ended_at[node + 1]; ++i)
      if (graph_.ended[i].what == Ended::part) return std::int64_t{0};
    return ns;
  };
  return with(change);
}

}  // namespace cairn::waits
