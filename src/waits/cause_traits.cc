// SPDX-License-Identifier: BSD-3-Clause
// cause_traits.cc - comparing what ranks spend on the pieces of a cause

#include "waits/cause_traits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace cairn::waits {

namespace {

constexpr double by_chance = 0.05;  // of the dearest piece's cost, at most
constexpr double graded = 1.25;     // of the others' mean one of them has: they are not even, either
constexpr double as_late = 0.9;     // of the least that one of those has who are waited for
constexpr double hardly_even = 2;   // they have more; and the order of the work may be what costs, all the same
constexpr double alike = 1.25;      // at most, longer each time: the same work
constexpr double like = 2;          // at most: what others do in their turn
constexpr double returned = 1.5;    // at most: what two do by turns, rather than one more than the other

}  // namespace

Pieces compared(const CauseSum& cause, const std::vector<int>& ranks, const WorkSums& work) {
  double dearest = 0;
  for (const auto& [piece, cost] : cause.pieces) dearest = std::max(dearest, cost);
  Pieces pieces;
  for (const auto& [piece, cost] : cause.pieces)
    if (cost >= by_chance * dearest) pieces.insert(piece);
  return work.with_what_stands_for(std::move(pieces), ranks);
}

std::vector<int> all_ranks_of(const CauseSum& cause, const WorkSums& work, int size) {
  std::vector<int> charged = ranks_of(cause);
  if (!is_work(cause)) return charged;
  const std::vector<double> by_rank = work.by_rank(compared(cause, charged, work));
  double least = INFINITY;
  for (const int rank : charged) least = std::min(least, by_rank[static_cast<std::size_t>(rank)]);
  std::vector<int> ranks;
  double rest = 0;
  for (int rank = 0; rank < size; ++rank) {
    const double seconds = by_rank[static_cast<std::size_t>(rank)];
    if (std::ranges::binary_search(charged, rank) || seconds >= as_late * least) ranks.push_back(rank);
    else rest += seconds;
  }
  const auto others = static_cast<double>(size) - static_cast<double>(ranks.size());
  return least > 0 && others > 0 && hardly_even * rest <= others * least ? ranks : charged;
}

namespace {

bool are_within(double factor, double one, double other) {
  return std::max(one, other) <= factor * std::min(one, other);
}
bool may_go_with(const CauseSum& one, const CauseSum& other) {
  return is_work(one) && is_work(other) && !one.is_usual && !other.is_usual;
}

}  // namespace

bool is_branch(const CauseSum& cause, const CauseSum& of, const WorkSums& work) {
  if (!may_go_with(cause, of) || cause.piece.from != of.piece.from || cause.piece.to == of.piece.to) return false;
  const std::vector<int> ranks = ranks_of(of);
  if (!std::ranges::includes(ranks, ranks_of(cause))) return false;
  if (2 * work.times(cause.piece, ranks) > work.times(of.piece, ranks)) return false;
  const double one = work.excess_each_time(cause.piece, ranks);
  const double other = work.excess_each_time(of.piece, ranks);
  return one > 0 && other > 0 && are_within(alike, one, other);
}

namespace {

/// Of waits of such kinds.
template <class Test>
double cost_in(const CauseSum& cause, Test is_meant) {
  double cost = 0;
  for (const auto& [what, part] : cause.symptoms) cost += is_meant(what.first) ? part : 0;
  return cost;
}
double cost_in(const CauseSum& cause, WaitKind kind) {
  return cost_in(cause, [kind](WaitKind one) { return one == kind; });
}

/// Whether other ranks do the like after the same call, in which they have waited for a message, and before another one, as
/// the last one of those who pass something on: links of a chain.
bool is_next_link(const CauseSum& cause, const CauseSum& of, const WorkSums& work) {
  const Piece own = cause.piece;
  const std::pair waited{WaitKind::late_sender, own.from};
  if (!cause.symptoms.contains(waited) && !of.symptoms.contains(waited)) return false;
  for (auto at = of.pieces.lower_bound({own.from, 0}); at != of.pieces.end() && at->first.from == own.from; ++at) {
    const Piece piece = at->first;
    if (piece.to == own.to || piece.to == none) continue;
    const std::vector<int> ranks = ranks_of(cause);
    const double each_time = work.each_time(own, ranks);
    const double others = work.each_time(piece, ranks_of(of));
    const auto does_it = [&](int rank) { return work.of(piece, rank) > 0; };
    if (std::ranges::none_of(ranks, does_it) && are_within(like, each_time, others)) return true;
  }
  return false;
}
double cost_in_messages(const CauseSum& cause) {
  return cost_in(cause, [](WaitKind kind) {
    return kind == WaitKind::late_sender || kind == WaitKind::late_receiver || is_completion(kind);
  });
}
/// Whether others, as many, that have waited for messages of these ranks then do the like, for which these wait as long.
bool is_returned(const CauseSum& cause, const CauseSum& by, const WorkSums& work) {
  const auto felt = cause.symptoms.find({WaitKind::late_sender, by.piece.from});
  if (felt == cause.symptoms.end() || 2 * felt->second < cause.cost_ns) return false;
  if (!are_within(returned, cause.cost_ns, by.cost_ns)) return false;
  const std::vector<int> own = ranks_of(cause);
  const std::vector<int> ranks = ranks_of(by);
  const auto is_one = [&](int rank) { return std::ranges::binary_search(own, rank); };
  return work.ranks_with(cause.piece) == work.ranks_with(by.piece) && std::ranges::none_of(ranks, is_one) &&
         are_within(returned, work.each_time(cause.piece, own), work.each_time(by.piece, ranks));
}

}  // namespace

bool are_links(const CauseSum& one, const CauseSum& other, const WorkSums& work) {
  if (!may_go_with(one, other)) return false;
  if (4 * (cost_in_messages(one) + cost_in_messages(other)) < one.cost_ns + other.cost_ns) return false;
  return is_next_link(one, other, work) || is_next_link(other, one, work) || is_returned(one, other, work) ||
         is_returned(other, one, work);
}

TimeSpent spent_on(const Pieces& pieces, const std::vector<int>& ranks, const WorkSums& work) {
  TimeSpent spent;
  std::vector<double> others = work.by_rank(pieces);
  for (const int rank : ranks) spent.own += std::exchange(others[static_cast<std::size_t>(rank)], 0);
  const double least = hardly_any * spent.own / static_cast<double>(std::max<std::size_t>(1, ranks.size()));
  std::erase_if(others, [least](double seconds) { return seconds <= least; });
  spent.elsewhere = others.empty() ? work.mean_of_others(pieces, ranks)
                                   : std::reduce(others.begin(), others.end()) / static_cast<double>(others.size());
  return spent;
}

namespace {

/// They may have no other purpose than to keep an order.
bool needs_all(WaitKind kind) { return kind == WaitKind::wait_at_barrier || kind == WaitKind::wait_at_fence; }

/// That one comes after the other there may be the program's choice, other than in calls that need all for what they do.
bool is_of_order(WaitKind kind) {
  using enum WaitKind;
  return kind == late_sender || kind == wrong_order || kind == late_receiver || is_completion(kind) ||
         kind == lock_contention || needs_all(kind);
}

}  // namespace

bool may_be_in_turn(const CauseSum& cause, double ratio, bool are_most, bool has_links) {
  const double cost = cost_in(cause, is_of_order);
  if (has_links && ratio < hardly_even && 4 * cost >= cause.cost_ns) return true;
  const bool is_chain = are_most && 2 * (cost - cost_in(cause, needs_all)) >= cause.cost_ns;
  return is_work(cause) && 2 * cost >= cause.cost_ns && (ratio < hardly_even || is_chain);
}
bool is_graded(const CauseSum& cause, const Pieces& pieces, const std::vector<int>& ranks, const WorkSums& work,
               int size) {
  const double at_locks = cost_in(cause, WaitKind::lock_contention);
  const std::vector<double> by_rank = work.by_rank(pieces);
  double own = 0;
  for (const int rank : ranks) own += by_rank[static_cast<std::size_t>(rank)] / static_cast<double>(ranks.size());
  double most = 0;
  double sum = 0;
  int others = 0;
  for (int rank = 0; rank < size; ++rank) {
    const double seconds = by_rank[static_cast<std::size_t>(rank)];
    if (!std::ranges::binary_search(ranks, rank) && seconds > hardly_any * own) {
      most = std::max(most, seconds);
      sum += seconds;
      ++others;
    }
  }
  return is_work(cause) && 2 * at_locks < cause.cost_ns && others > 1 && sum >= same_work * own * others &&
         most * others >= graded * sum;
}
std::vector<bool> sites_of_order(const CauseSum& cause, std::size_t sites) {
  std::vector<bool> is_one(sites);
  for (const auto& [what, cost] : cause.symptoms)
    if (is_of_order(what.first)) is_one[what.second] = true;
  return is_one;
}

bool is_sent_late(const CauseSum& cause) {
  return is_work(cause) && 2 * cost_in(cause, WaitKind::late_sender) >= cause.cost_ns;
}

}  // namespace cairn::waits
