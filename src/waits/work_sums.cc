// SPDX-License-Identifier: BSD-3-Clause
// work_sums.cc - adding up what ranks spend between calls, and in them

#include "waits/work_sums.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace cairn::waits {

WorkSums::WorkSums(const Graph& graph, const Waits& waits)
    : by_rank_(static_cast<std::size_t>(graph.size)), ranks_(graph.ranks) {
  const auto once = [](std::int64_t ns) {
    const double seconds = 1e-9 * static_cast<double>(ns);
    return Sum{seconds, 1, seconds * seconds};
  };
  for (const Lane& lane : graph.lanes) {
    const Index before = graph.previous(lane.first);
    const std::int64_t began = before == none ? graph.begin_ns : graph.nodes[before].exit;
    if (before != none) add(work_before(graph, lane.first), lane.rank, once(graph.nodes[lane.first].entry - began));
    else if (lane.is_main && !lane.begins_earlier) add({}, lane.rank, once(graph.nodes[lane.first].exit - began));
    for (Index node = lane.first + 1; node < lane.last; ++node) {
      const std::int64_t ns = graph.work_before_ns(node);
      add(work_before(graph, node), lane.rank, once(ns));
      if (lane.is_main) by_rank_[static_cast<std::size_t>(lane.rank)] += 1e-9 * static_cast<double>(ns);
    }
    add_calls(graph, waits, lane);
  }
}

void WorkSums::add(Piece piece, int rank, const Sum& sum) {
  sums_[{piece, rank}].add(sum);
  totals_[piece].add(sum);
}

void WorkSums::add_calls(const Graph& graph, const Waits& waits, const Lane& lane) {
  std::unordered_map<Index, std::int64_t> sums;
  for (Index node = lane.first + (graph.previous(lane.first) == none ? 1 : 0); node < lane.last; ++node)
    sums[graph.nodes[node].site] += graph.nodes[node].exit - graph.nodes[node].entry - waits.ns(graph, node);
  for (const auto& [site, ns] : sums) add({site, none}, lane.rank, Sum{1e-9 * static_cast<double>(ns), 0, 0});
}

void WorkSums::add(const WorkSums& other) {
  for (const auto& [of, sum] : other.sums_) sums_[of].add(sum);
  for (const auto& [piece, sum] : other.totals_) totals_[piece].add(sum);
  if (by_rank_.size() < other.by_rank_.size()) by_rank_.resize(other.by_rank_.size());
  for (std::size_t rank = 0; rank < other.by_rank_.size(); ++rank) by_rank_[rank] += other.by_rank_[rank];
  ranks_ = std::max(ranks_, other.ranks_);
}

double WorkSums::of(Piece piece, int rank) const {
  const auto found = sums_.find({piece, rank});
  return found == sums_.end() ? 0 : found->second.seconds;
}

double WorkSums::mean_of_others(Piece piece, const std::vector<int>& ranks) const {
  const auto found = totals_.find(piece);
  if (found == totals_.end()) return 0;
  const auto others = ranks_ - static_cast<int>(ranks.size());
  if (others <= 0) return found->second.seconds / std::max(1, ranks_);
  double total = found->second.seconds;
  for (const int rank : ranks) total -= of(piece, rank);
  return std::max(0.0, total) / others;
}

std::size_t WorkSums::ranks_with(Piece piece) const {
  std::size_t count = 0;
  for (auto at = sums_.lower_bound({piece, 0}); at != sums_.end() && at->first.first == piece; ++at)
    count += at->second.seconds > 0 ? 1 : 0;
  return count;
}

WorkSums::Sum WorkSums::sum_of(Piece piece, const std::vector<int>& ranks) const {
  Sum sum;
  for (const int rank : ranks)
    if (const auto found = sums_.find({piece, rank}); found != sums_.end()) sum.add(found->second);
  return sum;
}

WorkSums::Sum WorkSums::sum_of_others(Piece piece, const Sum& own) const {
  const auto all = totals_.find(piece);
  if (all == totals_.end()) return {};
  const Sum& sum = all->second;
  return {sum.seconds - own.seconds, sum.times - own.times, sum.squares - own.squares};
}

double WorkSums::excess_each_time(Piece piece, const std::vector<int>& ranks) const {
  const Sum own = sum_of(piece, ranks);
  return own.mean() - sum_of_others(piece, own).mean();
}

/// Of what is the same in a part of all times, and else nothing, the square of the mean is that part of the mean square.
double WorkSums::spread_of_excess(Piece piece, const std::vector<int>& ranks) const {
  const Sum own = sum_of(piece, ranks);
  const Sum others = sum_of_others(piece, own);
  const double usual = others.mean();
  const double excess = own.mean() - usual;
  if (usual <= 0 || excess <= 0) return 1;
  const double differs = std::max(0.0, others.square_from(usual));
  const double of_excess = std::max(excess * excess, own.square_from(usual) - differs);
  const double part = excess * excess / of_excess;
  const double part_of_usual = usual * usual / (usual * usual + differs);
  return std::min(1.0, part / part_of_usual);
}

double WorkSums::of(const Pieces& pieces, int rank) const {
  double sum = 0;
  for (const Piece& piece : pieces) sum += of(piece, rank);
  return sum;
}

double WorkSums::mean_of_others(const Pieces& pieces, const std::vector<int>& ranks) const {
  double sum = 0;
  for (const Piece& piece : pieces) sum += mean_of_others(piece, ranks);
  return sum;
}

std::vector<double> WorkSums::by_rank(const Pieces& pieces) const {
  std::vector<double> sums(by_rank_.size());
  for (const Piece& piece : pieces)
    for (auto at = sums_.lower_bound({piece, 0}); at != sums_.end() && at->first.first == piece; ++at)
      sums[static_cast<std::size_t>(at->first.second)] += at->second.seconds;
  return sums;
}

Pieces WorkSums::with_what_stands_for(Pieces pieces, const std::vector<int>& ranks) const {
  std::set<Index> to;
  for (const Piece& piece : pieces)
    if (piece.to != none) to.insert(piece.to);
  const auto does_it = [this](const Piece& piece) { return [this, piece](int rank) { return of(piece, rank) > 0; }; };
  for (const auto& [piece, sum] : totals_)
    if (to.contains(piece.to) && piece.from != none && std::ranges::none_of(ranks, does_it(piece)))
      pieces.insert(piece);
  return pieces;
}

}  // namespace cairn::waits
