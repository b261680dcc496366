// SPDX-License-Identifier: BSD-3-Clause
// predictions.cc - replays with other durations

#include "waits/predictions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

namespace cairn::waits {

namespace {

constexpr double replay_error = 0.02;  // of what a change brings: what follows on it in the library is not replayed

std::int64_t part_of(std::int64_t ns, double factor) {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(ns) * factor));
}

}  // namespace

WorkSums::WorkSums(const Graph& graph, const Waits& waits) : by_rank_(static_cast<std::size_t>(graph.size)) {
  for (const Lane& lane : graph.lanes) {
    ranks_ += lane.is_main ? 1 : 0;
    const Index before = graph.previous(lane.first);
    const std::int64_t began = before == none ? graph.begin_ns : graph.nodes[before].exit;
    if (before != none) add(work_before(graph, lane.first), lane.rank, graph.nodes[lane.first].entry - began);
    else if (lane.is_main && !lane.begins_earlier) add({}, lane.rank, graph.nodes[lane.first].exit - began);
    for (Index node = lane.first + 1; node < lane.last; ++node) {
      const std::int64_t ns = std::max<std::int64_t>(0, graph.nodes[node].entry - graph.nodes[node - 1].exit);
      add({graph.nodes[node - 1].site, graph.nodes[node].site}, lane.rank, ns);
      if (lane.is_main) by_rank_[static_cast<std::size_t>(lane.rank)] += 1e-9 * static_cast<double>(ns);
    }
    add_calls(graph, waits, lane);
  }
}

void WorkSums::add(Piece piece, int rank, std::int64_t ns) {
  const double seconds = 1e-9 * static_cast<double>(ns);
  sums_[{piece, rank}] += seconds;
  totals_[piece] += seconds;
}

void WorkSums::add_calls(const Graph& graph, const Waits& waits, const Lane& lane) {
  std::unordered_map<Index, std::int64_t> sums;
  for (Index node = lane.first + (graph.previous(lane.first) == none ? 1 : 0); node < lane.last; ++node)
    sums[graph.nodes[node].site] += graph.nodes[node].exit - graph.nodes[node].entry - waits.ns(graph, node);
  for (const auto& [site, ns] : sums) add({site, none}, lane.rank, ns);
}

void WorkSums::add(const WorkSums& other) {
  for (const auto& [of, seconds] : other.sums_) sums_[of] += seconds;
  for (const auto& [piece, seconds] : other.totals_) totals_[piece] += seconds;
  if (by_rank_.size() < other.by_rank_.size()) by_rank_.resize(other.by_rank_.size());
  for (std::size_t rank = 0; rank < other.by_rank_.size(); ++rank) by_rank_[rank] += other.by_rank_[rank];
  ranks_ = std::max(ranks_, other.ranks_);
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
    : graph_(graph), waits_(waits), work_(work), replay_(graph, waits) {
  replayed_s_ = 1e-9 * static_cast<double>(replay_.run({}));
}

Prediction Predictions::with(const Change& change) {
  const double predicted = 1e-9 * static_cast<double>(replay_.run(change));
  return {predicted, error_s(predicted, replayed_s_, graph_.run_s())};
}

double Predictions::error_s(double predicted_s, double replayed_s, double run_s) {
  return std::abs(replayed_s - run_s) + replay_error * std::abs(predicted_s - replayed_s);
}

Prediction Predictions::as_the_others(const std::map<Piece, double>& pieces, const std::vector<int>& ranks) {
  std::map<std::pair<Piece, int>, double> factors;
  for (const auto& [piece, cost] : pieces)
    for (const int rank : ranks)
      if (const double own = work_.of(piece, rank); own > 0)
        factors[{piece, rank}] = std::min(1.0, work_.mean_of_others(piece, ranks) / own);
  std::vector<bool> is_changed(graph_.sites.size());  // calls, or the work before them
  for (const auto& [piece, cost] : pieces)
    if (const Index site = piece.to == none ? piece.from : piece.to; site != none) is_changed[site] = true;
  const auto changed = [&](Piece piece, Index node, std::int64_t ns) {
    const auto factor = factors.find({piece, graph_.rank(node)});
    return factor == factors.end() ? ns : part_of(ns, factor->second);
  };
  Change change;
  change.work = [&](Index node, std::int64_t ns) {
    return is_changed[graph_.nodes[node].site] ? changed(work_before(graph_, node), node, ns) : ns;
  };
  change.transfer = [&](Index node, std::int64_t ns) {
    const Index site = graph_.nodes[node].site;
    return is_changed[site] ? changed({site, none}, node, ns) : ns;
  };
  return with(change);
}

Prediction Predictions::without_waiting(std::vector<bool> sites) {
  Change change;
  change.without_waiting = std::move(sites);
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
  if (!is_ideal_known_) on_ideal_network();
  return ideal_;
}

const Replay& Predictions::on_ideal_network() {
  Change change;
  change.sends_are_free = true;
  change.transfer = [&](Index node, std::int64_t ns) { return graph_.previous(node) == none ? ns : 0; };
  ideal_ = with(change);
  is_ideal_known_ = true;
  return replay_;
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

std::vector<bool> Predictions::only(Index site) const {
  std::vector<bool> sites(graph_.sites.size());
  sites[site] = true;
  return sites;
}

Prediction Predictions::free_calls(const std::vector<bool>& sites) {
  std::vector<bool> is_free(graph_.nodes.size());
  for (std::size_t node = 0; node < is_free.size(); ++node) is_free[node] = sites[graph_.nodes[node].site];
  for (const Link& link : graph_.links)
    if (sites[graph_.nodes[link.send_begin].site] && link.receive_end != none) is_free[link.receive_end] = true;
  Change change;
  change.is_free = [&](const Operation& of) { return sites[graph_.nodes[graph_.parts[of.first].begin].site]; };
  change.transfer = [&](Index node, std::int64_t ns) { return is_free[node] ? 0 : ns; };
  return with(change);
}

std::int64_t Predictions::own_ns(Index node) const { return waits_.transfer_ns(graph_, node); }

/// visit(call, site) for the sites of transfers that a call completes and another one has begun; each once.
template <class Visit>
void Predictions::for_all_begun(Visit visit) const {
  std::vector<Index> seen(graph_.sites.size(), none);  // by site: the last call that it was visited for
  for (Index node = 0; node < graph_.nodes.size(); ++node)
    for (Index i = graph_.ended_at[node]; i < graph_.ended_at[node + 1]; ++i) {
      const Ended& one = graph_.ended[i];
      if (one.what != Ended::send && one.what != Ended::receive) continue;
      const Link& link = graph_.links[one.which];
      const Index begin = one.what == Ended::send ? link.send_begin : link.receive_begin;
      if (link.signal != Signal::message || begin == node) continue;
      const Index site = graph_.nodes[begin].site;
      if (std::exchange(seen[site], node) != node) visit(node, site);
    }
}

std::vector<std::pair<double, Index>> Predictions::begun() const {
  std::vector<std::pair<double, Index>> sums(graph_.sites.size());
  for (Index site = 0; site < sums.size(); ++site) sums[site].second = site;
  for_all_begun([&](Index node, Index site) { sums[site].first += 1e-9 * static_cast<double>(own_ns(node)); });
  std::erase_if(sums, [](const auto& sum) { return sum.first <= 0; });
  std::ranges::sort(sums, std::greater{});
  return sums;
}

Prediction Predictions::overlapped(Index site) {
  std::vector<bool> completes(graph_.nodes.size());
  for_all_begun([&](Index node, Index begun) {
    if (begun == site) completes[node] = true;
  });
  const auto work_after = [&](Index node) {
    const bool is_last = node + 1 == graph_.lanes[graph_.nodes[node].lane].last;
    return is_last ? 0 : std::max<std::int64_t>(0, graph_.nodes[node + 1].entry - graph_.nodes[node].exit);
  };
  Change change;
  change.transfer = [&](Index node, std::int64_t ns) {
    return completes[node] ? ns - std::min(ns, work_after(node)) : ns;
  };
  return with(change);
}

Prediction Predictions::eager(std::vector<bool> sites) {
  Change change;
  change.eager_sites = std::move(sites);
  return with(change);
}

namespace {

/// Of messages that are alike.
using MessageClass = std::pair<bool, int>;  // within a node; digits of its bytes

/// The message that a blocking call receives, alone; null: it does not.
const Link* received_alone(const Graph& graph, Index node) {
  if (graph.ended_at[node + 1] != graph.ended_at[node] + 1) return nullptr;
  const Ended& one = graph.ended[graph.ended_at[node]];
  if (one.what != Ended::receive) return nullptr;
  const Link& link = graph.links[one.which];
  return link.signal == Signal::message && link.receive_begin == node ? &link : nullptr;
}

}  // namespace

Prediction Predictions::expected_messages() {
  const auto class_of = [&](const Link& link) { return MessageClass{link.is_within_node, std::bit_width(link.bytes)}; };
  std::map<MessageClass, std::vector<std::int64_t>> expected;
  for (Index node = 0; node < graph_.nodes.size(); ++node)
    if (const Link* const link = received_alone(graph_, node); link != nullptr && waits_.at[node] != none)
      expected[class_of(*link)].push_back(own_ns(node));
  std::map<MessageClass, std::int64_t> usual;
  for (auto& [kind, times] : expected) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    usual[kind] = *middle;
  }
  if (usual.empty()) return {NAN, NAN};
  Change change;
  change.transfer = [&](Index node, std::int64_t ns) {
    const Link* const link = received_alone(graph_, node);
    if (link == nullptr || waits_.at[node] != none) return ns;
    if (graph_.nodes[link->send_begin].entry >= graph_.nodes[node].entry) return ns;
    const auto found = usual.find(class_of(*link));
    return found == usual.end() ? ns : std::min(ns, found->second);
  };
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
