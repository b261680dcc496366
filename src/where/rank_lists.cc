// SPDX-License-Identifier: BSD-3-Clause
// rank_lists.cc - going through shared lists once

#include "where/rank_lists.hpp"

#include <algorithm>

namespace cairn::where {

bool Awaited::empty() const {
  return std::ranges::all_of(lists, [this](RankList list) {
    return std::ranges::all_of(list, [this](int rank) { return rank < 0 || rank == left_out; });
  });
}

int Awaited::only() const {
  int found = -1;
  for (const RankList list : lists)
    for (const int rank : list) {
      if (rank < 0 || rank == left_out || rank == found) continue;
      if (found >= 0) return -1;
      found = rank;
    }
  return found;
}

std::vector<int> Awaited::all() const {
  std::vector<int> ranks;
  for (const RankList list : lists)
    std::ranges::copy_if(list, std::back_inserter(ranks), [this](int rank) { return rank >= 0 && rank != left_out; });
  return ranks;
}

int FirstThat::in(RankList list, int left_out) {
  Known& known = known_[list.data()];
  for (; known.looked_at < list.size() && known.count < known.places.size(); ++known.looked_at)
    if (const int rank = list[known.looked_at]; rank >= 0 && passes_(rank))
      known.places[known.count++] = known.looked_at;
  for (std::size_t i = 0; i < known.count; ++i)
    if (known.places[i] < list.size() && list[known.places[i]] != left_out) return list[known.places[i]];
  return -1;
}

int FirstThat::in(const Awaited& whom) {
  for (const RankList list : whom.lists)
    if (const int found = in(list, whom.left_out); found >= 0) return found;
  return -1;
}

std::vector<int> all_awaited(const std::vector<const Awaited*>& all) {
  std::map<const int*, std::size_t> done;
  std::vector<int> ranks;
  for (const Awaited* const whom : all)
    for (const RankList list : whom->lists) {
      std::size_t& until = done[list.data()];
      for (; until < list.size(); ++until)
        if (list[until] >= 0) ranks.push_back(list[until]);
    }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace cairn::where
