// SPDX-License-Identifier: BSD-3-Clause
// cause_traits.hpp - whose a cause is, what others do in its place, and which causes are one
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "waits/causes.hpp"
#include "waits/work_sums.hpp"

namespace cairn::waits {

inline constexpr double even = 1.1;  // of what the other ranks have: those who cause it have hardly more
inline constexpr double same_work =
    0.3;  // others do the same if they have so much of it, on average (as for `uneven_work`)

/// Those with a fifth of the dearest one's cost at least.
template <class Cost>
std::vector<int> ranks_of(const std::map<int, Cost>& by_rank) {
  constexpr double least_part = 0.2;
  double most = 0;
  for (const auto& [rank, cost] : by_rank) most = std::max(most, static_cast<double>(cost));
  std::vector<int> ranks;
  for (const auto& [rank, cost] : by_rank)
    if (static_cast<double>(cost) >= least_part * most) ranks.push_back(rank);
  return ranks;
}
inline std::vector<int> ranks_of(const CauseSum& cause) { return ranks_of(cause.by_rank); }
/// With those who have as much of it where the rest has half at most: of several that are equally late, only the last one is
/// waited for.
std::vector<int> all_ranks_of(const CauseSum& cause, const WorkSums& work, int size);
inline bool are_most(const std::vector<int>& ranks, int size) { return 2 * static_cast<int>(ranks.size()) > size; }

inline bool is_start(const CauseSum& cause) { return cause.piece.from == none && cause.piece.to == none; }
inline bool is_work(const CauseSum& cause) { return cause.piece.to != none; }

/// What the ranks that cause it have spent there, and what others have in its place. Pieces of which hardly anything costs
/// are no part of that: ranks may be late there by chance.
Pieces compared(const CauseSum& cause, const std::vector<int>& ranks, const WorkSums& work);

/// Of all these ranks, and of a mean one of the others that have any of it to speak of; if none has, of all others.
struct TimeSpent {
  double own = 0;
  double elsewhere = 0;

  /// Of one of them, to the other one's.
  double ratio(std::size_t ranks) const {
    return elsewhere > 0 ? own / static_cast<double>(std::max<std::size_t>(1, ranks)) / elsewhere : INFINITY;
  }
};
TimeSpent spent_on(const Pieces& pieces, const std::vector<int>& ranks, const WorkSums& work);

/// Whether it is the same work, after which another call came, as where every tenth step ends with a reduction: it follows
/// the same call, and the same ranks need as much longer for it each time. That is so at least twice as often before the
/// first call: else it may be one function that is called from several places, as where each phase begins with a barrier.
bool is_branch(const CauseSum& cause, const CauseSum& of, const WorkSums& work);
/// Whether the two are done in turn: in a chain of messages, or there and back.
bool are_links(const CauseSum& one, const CauseSum& other, const WorkSums& work);

/// Whether what costs may be that ranks work one after the other: they are mostly waited for in such calls, and have
/// hardly more work than others. In a chain of messages the last one need not have that work at all. Where its links are
/// known (are_links), all may be waited for once more in a call that needs all.
bool may_be_in_turn(const CauseSum& cause, double ratio, bool are_most, bool has_links);
/// The call sites at which it is the order of ranks' work that makes them wait.
std::vector<bool> sites_of_order(const CauseSum& cause, std::size_t sites);
/// Whether it is the same work of all, of which the others have different amounts, too: as where a triangle is cut into
/// strips.
bool is_graded(const CauseSum& cause, const Pieces& pieces, const std::vector<int>& ranks, const WorkSums& work,
               int size);
/// Whether what costs is that messages are sent after that work.
bool is_sent_late(const CauseSum& cause);

}  // namespace cairn::waits
